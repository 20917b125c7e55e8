/** What happened over time: what served against what was promised, and every unit's own lane. */
import { at, element } from "./connection.js";
import { clockTime, plural } from "./words.js";

const svg = (tag, properties, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
};
export { svg };

/** A line that holds its value until the next one; `points` are where it changes. */
export function stepPath(past, points, valueOf, y) {
  const steps = [];
  for (const point of points) {
    const value = valueOf(point);
    if (value === undefined) continue;
    const x = past.share(point.index) * 100;
    steps.push(steps.length === 0 ? `M${x} ${y(value)}` : `H${x} V${y(value)}`);
  }
  return steps.length === 0 ? "" : `${steps.join(" ")} H100`;
}

/** Where somebody looks; now is at the end of every drawing and needs no mark. */
export function marker(past, { index, isLive }, height) {
  if (isLive || past.frames.length === 0) return [];
  const where = past.share(index) * 100;
  return [svg("line", { class: "marker", x1: where, x2: where, y1: 0, y2: height })];
}

/** The counters of a part as they were at this frame. */
export const seriesAt = (past, name, index) =>
  past.series.get(name)?.findLast((point) => point.index <= index)?.series;

export function drawCurves(past, moment) {
  const names = (past.frames.at(-1)?.series ?? []).map(({ name }) => name);
  const parts = names.filter((name) => name !== "");
  const whole = curve(past, "", moment);
  const small = parts.length > 1 ? parts.map((name) => curve(past, name, moment)) : [];
  at("curves").replaceChildren(whole, element("div", { class: "small-curves" }, ...small));
  at("curve-text").textContent = curveText(past, past.series.get("") ?? []);
}

function curveText({ frames }, points) {
  const last = points.at(-1)?.series;
  if (last === undefined) return "";
  const { unit, minimum } = last;
  // While it comes up for the first time nothing is promised yet.
  const first = points.findIndex(({ index, series: { available, desired } }, at) => {
    // A Placement says how many clusters it selects only when all of them are listed.
    const isSettled = ({ state }) => unit !== "cluster" || state !== "Progressing";
    const span = frames.slice(index, points[at + 1]?.index);
    return desired > 0 && available >= desired && span.some(isSettled);
  });
  const counted = points.slice(Math.max(0, first)).map(({ series }) => series.available);
  const whole = unit === "cluster" ? "all were listed" : "all served";
  const since = first < 0 ? "" : `; fewest since ${whole}: ${Math.min(...counted)}`;
  return minimum === undefined
    ? `${unit === "cluster" ? "Listed" : "Available"} ${unit}s${since}.`
    : `Available ${unit}s (line) against the promised minimum of ${minimum} (dashed)${since}.`;
}

function curve(past, name, moment) {
  const points = past.series.get(name) ?? [];
  const most = Math.max(1, ...points.map(({ series }) => series.desired));
  const y = (count) => 38 - (count / most) * 34;
  const { available = 0, desired = 0, minimum, unit } = seriesAt(past, name, moment.index) ?? {};
  const served = `${available} of ${desired} ${unit === "cluster" ? "listed" : "available"}`;
  const promised = minimum === undefined ? "" : `at least ${minimum} promised`;
  const label = [`${name === "" ? "all" : name}: ${served}`, promised].filter(Boolean).join(", ");
  const line = stepPath(past, points, ({ series }) => series.available, y);
  const drawing = svg(
    "svg",
    {
      viewBox: "0 0 100 40",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": label,
    },
    svg("path", { class: "area", d: line === "" ? "" : `${line} V40 H0 Z` }),
    svg("path", { class: "minimum", d: stepPath(past, points, ({ series }) => series.minimum, y) }),
    svg("path", { class: "available", d: line }),
    ...marker(past, moment, 40),
  );
  if (name !== "") {
    const short = `${name}: ${available}/${desired}${minimum === undefined ? "" : `, promised ${minimum}`}`;
    return element("div", { class: "curve" }, element("p", { class: "quiet" }, short), drawing);
  }
  const words = [element("strong", {}, served), element("span", { class: "quiet" }, promised)];
  return element("div", { class: "curve whole plotted" }, element("p", {}, ...words), drawing);
}

/** Names of lanes stand in the room that all drawings of the past leave at their left. */
export const gutterOf = (width) => (width > 560 ? 190 : 0);

/** Lanes: full height serves, half height starts, a thin line terminates, stripes are broken. */
export function drawLanes(past, { index, isLive }, name) {
  const canvas = at("lanes");
  at("quiet-times").hidden = !past.isShortened;
  const width = Math.max(100, canvas.clientWidth);
  const keys = past.laneKeys();
  const height = Math.max(1, Math.min(14, Math.floor(520 / Math.max(1, keys.length))));
  const left = gutterOf(width);
  const axis = 18;
  resize(canvas, width, keys.length * height + axis);
  const context = canvas.getContext("2d");
  const colours = coloursOf(canvas);
  const plot = { context, colours, left, width: width - left, height, prefix: `${name}-` };
  for (const [row, key] of keys.entries()) drawLane(plot, past, key, row);
  drawAxis(plot, past, keys.length * height);
  if (!isLive) {
    context.fillStyle = colours.text;
    context.fillRect(left + past.share(index) * (width - left) - 1, 0, 2, keys.length * height);
  }
  drawReplaced(past);
}

function resize(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  canvas.getContext("2d").scale(scale, scale);
}

function coloursOf(canvas) {
  const style = getComputedStyle(canvas);
  const named = (name) => style.getPropertyValue(name).trim();
  return {
    updated: named("--new"),
    outdated: named("--old"),
    broken: named("--bad"),
    text: named("--text"),
    quiet: named("--quiet"),
  };
}

function drawLane({ context, colours, left, width, height, prefix }, past, key, row) {
  const top = row * height;
  if (left > 0 && height >= 9) {
    context.fillStyle = colours.quiet;
    context.font = "11px ui-monospace, monospace";
    context.fillText(shortened(key, prefix), 0, top + height - 3, left - 8);
  }
  const lane = past.lanes.get(key);
  for (const [at, { index, cell }] of lane.entries()) {
    if (cell === null) continue;
    const from = left + past.share(index) * width;
    const to = at + 1 < lane.length ? left + past.share(lane[at + 1].index) * width : left + width;
    drawPiece({ context, colours, height }, cell, { from, top, length: Math.max(1, to - from) });
  }
}

/** The name of the rollout is in every one of them. */
function shortened(key, prefix) {
  const own = key.startsWith(prefix) ? key.slice(prefix.length) : key;
  return own.length > 28 ? `…${own.slice(-27)}` : own;
}

function drawPiece({ context, colours, height }, { health, isUpdated }, { from, top, length }) {
  const gap = height > 3 ? 1 : 0;
  const full = height - gap;
  context.fillStyle =
    health === "broken" ? colours.broken : isUpdated ? colours.updated : colours.outdated;
  if (health === "available") return context.fillRect(from, top, length, full);
  if (health === "terminating")
    return context.fillRect(from, top + full / 2, length, Math.max(1, full / 6));
  if (health !== "broken")
    return context.fillRect(from, top + full / 2, length, Math.max(1, full / 2));
  for (let x = 0; x < length; x += 4)
    context.fillRect(from + x, top, Math.min(2, length - x), full);
}

function drawAxis({ context, colours, left, width }, past, top) {
  if (past.frames.length === 0) return;
  context.fillStyle = colours.quiet;
  context.font = "11px system-ui, sans-serif";
  const ticks = Math.max(2, Math.floor(width / 130));
  for (let tick = 0; tick <= ticks; tick += 1) {
    context.textAlign = tick === 0 ? "left" : tick === ticks ? "right" : "center";
    const text = clockTime(past.timeAt(tick / ticks));
    context.fillText(text, left + (tick / ticks) * width, top + 14);
  }
  context.textAlign = "left";
}

function drawReplaced({ replaced, replacedCount }) {
  const title = at("replaced-title");
  const text =
    replacedCount === 0 ? "No unit was replaced yet" : `${plural(replacedCount, "unit")} replaced`;
  if (title.textContent === text) return;
  title.textContent = text;
  at("replaced").replaceChildren(
    ...replaced
      .toReversed()
      .map(({ name, ms, seconds, from, to }) =>
        element(
          "li",
          {},
          element("time", {}, clockTime(ms)),
          element("strong", {}, name),
          element("span", {}, `revision ${from} → ${to}, away for ${seconds}s`),
        ),
      ),
  );
}
