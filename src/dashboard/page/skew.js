/** How far coordinated roles are, one line each, inside of the band that they may differ by. */
import { at, element } from "./connection.js";
import { stepPath, svg } from "./timeline.js";

const percent = (series) => (series.desired === 0 ? 100 : (series.updated / series.desired) * 100);

const roleIn = (frame, role) => frame.series.find(({ name }) => name === role);

export function drawSkew(past, index, coordinations) {
  at("skew").hidden = coordinations.length === 0;
  at("skew").replaceChildren(...coordinations.map((each) => chart(past, index, each)));
}

function chart(past, index, { name, roles, maxSkewPercent }) {
  const frame = past.frames[index];
  const y = (share) => 97 - share * 0.94;
  const slowest = (each) =>
    Math.min(...roles.map((role) => percent(roleIn(each, role) ?? { desired: 0 })));
  const where = past.frames.length === 0 ? 0 : past.share(index) * 100;
  const lines = roles.map((role, at) =>
    svg("path", {
      class: `role role-${at % 4}`,
      d: stepPath(past, (each) => percent(roleIn(each, role) ?? { desired: 0 }), y),
    }),
  );
  const text = frame === undefined ? "" : sentence(frame, roles, maxSkewPercent);
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
    svg("line", { class: "marker", x1: where, x2: where, y1: 0, y2: 100 }),
  );
  return element(
    "figure",
    {},
    element("h4", {}, `Skew of ${name}`),
    element("figcaption", {}, text),
    drawing,
    element("ul", { class: "keys" }, ...roles.map((role, at) => key(role, at))),
  );
}

const key = (role, at) =>
  element(
    "li",
    {},
    svg(
      "svg",
      { viewBox: "0 0 30 4", class: "key" },
      svg("path", { class: `role role-${at % 4}`, d: "M0 2 H30" }),
    ),
    ` ${role}`,
  );

function sentence(frame, roles, maxSkewPercent) {
  const shares = roles.map((role) => {
    const series = roleIn(frame, role);
    return series === undefined ? undefined : { role, share: percent(series), ...series };
  });
  const known = shares.filter((each) => each !== undefined);
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

/** From the slowest role to what the fastest may reach. */
function bandPath(past, slowest, maxSkew, y) {
  const tops = [];
  const bottoms = [];
  for (const [index, frame] of past.frames.entries()) {
    const x = past.share(index) * 100;
    const low = slowest(frame);
    const high = Math.min(100, low + maxSkew);
    const before = tops.at(-1);
    if (before !== undefined) {
      tops.push([x, before[1]]);
      bottoms.push([x, bottoms.at(-1)[1]]);
    }
    tops.push([x, y(high)]);
    bottoms.push([x, y(low)]);
  }
  const points = [...tops, ...bottoms.toReversed()].map((point) => point.join(" "));
  return svg("path", { class: "band", d: points.length === 0 ? "" : `M${points.join(" L")} Z` });
}
