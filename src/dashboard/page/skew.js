/** How far coordinated roles are, one line each, inside of the band that they may differ by. */
import { at, element } from "./connection.js";
import { marker, seriesAt, stepPath, svg } from "./timeline.js";

const percent = (series) => (series.desired === 0 ? 100 : (series.updated / series.desired) * 100);

const roleIn = (frame, role) => frame.series.find(({ name }) => name === role);
const pointsOf = (past, role) => past.series.get(role) ?? [];

export function drawSkew(past, { index, isLive }, coordinations) {
  at("skew").hidden = coordinations.length === 0;
  at("skew").replaceChildren(...coordinations.map((each) => chart(past, { index, isLive }, each)));
}

function chart(past, { index, isLive }, { name, roles, maxSkewPercent }) {
  const y = (share) => 97 - share * 0.94;
  const slowest = (each) =>
    Math.min(...roles.map((role) => percent(roleIn(each, role) ?? { desired: 0 })));
  const lines = roles.map((role, at) =>
    svg("path", {
      class: `role role-${at % 4}`,
      d: stepPath(past, pointsOf(past, role), ({ series }) => percent(series), y),
    }),
  );
  const now = roles.map((role) => ({ role, series: seriesAt(past, role, index) }));
  const text = sentence(now, maxSkewPercent);
  const band = maxSkewPercent === undefined ? [] : [bandPath(past, slowest, maxSkewPercent, y)];
  const drawing = svg(
    "svg",
    {
      viewBox: "0 0 100 100",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": `${name}: ${text}`,
    },
    ...band,
    ...lines,
    ...marker(past, { index, isLive }, 100),
  );
  return element(
    "figure",
    {},
    element("h4", {}, `Skew of ${name}`),
    element("figcaption", {}, text),
    element(
      "div",
      { class: "plotted" },
      element("ul", { class: "keys" }, ...now.map((each, at) => key(each, at))),
      drawing,
    ),
  );
}

const key = ({ role, series }, at) =>
  element(
    "li",
    {},
    svg(
      "svg",
      { viewBox: "0 0 30 4", class: "key" },
      svg("path", { class: `role role-${at % 4}`, d: "M0 2 H30" }),
    ),
    ` ${role}${series === undefined ? "" : ` ${Math.round(percent(series))}%`}`,
  );

function sentence(now, maxSkewPercent) {
  const known = now
    .filter(({ series }) => series !== undefined)
    .map(({ role, series }) => ({ role, share: percent(series), ...series }));
  if (known.length === 0) return "no role has reported yet";
  const texts = known.map(
    ({ role, updated, desired, share }) => `${role} ${updated}/${desired} (${Math.round(share)}%)`,
  );
  const values = known.map(({ share }) => share);
  const apart = Math.round(Math.max(...values) - Math.min(...values));
  const bound =
    maxSkewPercent === undefined
      ? ""
      : `; an update may take them ${maxSkewPercent} points and one unit apart`;
  return `${texts.join(", ")} updated: ${apart} points apart${bound}`;
}

/** From the slowest role to what the fastest may reach. It binds updates: while all come up for the first time there is none. */
function bandPath(past, slowest, maxSkew, y) {
  const pieces = past.frames.map((frame, index) => {
    if (past.outdated[index] === 0) return "";
    const [from, to] = [past.share(index) * 100, past.share(index + 1) * 100];
    const low = slowest(frame);
    const [top, bottom] = [y(Math.min(100, low + maxSkew)), y(low)];
    return `M${from} ${top} H${to} V${bottom} H${from} Z`;
  });
  return svg("path", { class: "band", d: pieces.join(" ") });
}
