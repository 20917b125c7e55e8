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

/** A line that holds its value until the next one. */
export function stepPath(past, valueAt, y) {
  const steps = [];
  for (const [index, frame] of past.frames.entries()) {
    const value = valueAt(frame);
    if (value === undefined) continue;
    const x = past.share(index) * 100;
    steps.push(steps.length === 0 ? `M${x} ${y(value)}` : `H${x} V${y(value)}`);
  }
  return steps.length === 0 ? "" : `${steps.join(" ")} H100`;
}

const seriesNamed = (frame, name) => frame.series.find((each) => each.name === name);

export function drawCurves(past, index) {
  const last = past.frames.at(-1);
  const names = (last?.series ?? []).map(({ name }) => name);
  const parts = names.filter((name) => name !== "");
  const whole = curve(past, "", index);
  const small = parts.length > 1 ? parts.map((name) => curve(past, name, index)) : [];
  at("curves").replaceChildren(whole, element("div", { class: "small-curves" }, ...small));
  at("curve-text").textContent = curveText(past, last);
}

function curveText(past, last) {
  const whole = last === undefined ? undefined : seriesNamed(last, "");
  if (whole === undefined) return "";
  const { unit, minimum } = whole;
  const counted = past.frames.map((frame) => seriesNamed(frame, "") ?? whole);
  // While it comes up for the first time nothing is promised yet.
  const first = counted.findIndex(({ available, desired }) => desired > 0 && available >= desired);
  const fewest = Math.min(...counted.slice(Math.max(0, first)).map(({ available }) => available));
  const since = first < 0 ? "" : `; fewest since all served: ${fewest}`;
  return minimum === undefined
    ? `Available ${unit}s${since}.`
    : `Available ${unit}s (line) against the promised minimum of ${minimum} (dashed)${since}.`;
}

function curve(past, name, index) {
  const of = (frame) => seriesNamed(frame, name);
  const most = Math.max(1, ...past.frames.map((frame) => of(frame)?.desired ?? 0));
  const y = (count) => 38 - (count / most) * 34;
  const where = past.frames.length === 0 ? 0 : past.share(index) * 100;
  const chosen = past.frames[index] === undefined ? undefined : of(past.frames[index]);
  const label = `${name === "" ? "All" : name}: ${chosen?.available ?? 0} of ${chosen?.desired ?? 0} available`;
  const promised = chosen?.minimum === undefined ? "" : `, at least ${chosen.minimum} promised`;
  const line = stepPath(past, (frame) => of(frame)?.available, y);
  const drawing = svg(
    "svg",
    {
      viewBox: "0 0 100 40",
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": label + promised,
    },
    svg("path", { class: "area", d: line === "" ? "" : `${line} V40 H0 Z` }),
    svg("path", { class: "minimum", d: stepPath(past, (frame) => of(frame)?.minimum, y) }),
    svg("path", { class: "available", d: line }),
    svg("line", { class: "marker", x1: where, x2: where, y1: 0, y2: 40 }),
  );
  const text = element("p", { class: "quiet" }, `${label}${promised}`);
  return element(
    "div",
    { class: name === "" ? "curve whole" : "curve" },
    ...(name === "" ? [] : [text]),
    drawing,
  );
}

/** Lanes: full height serves, half height starts, a thin line terminates, stripes are broken. */
export function drawLanes(past, index) {
  const canvas = at("lanes");
  const width = Math.max(100, canvas.clientWidth);
  const keys = past.laneKeys();
  const height = Math.max(1, Math.min(14, Math.floor(520 / Math.max(1, keys.length))));
  const labels = height >= 9 && width > 480 ? 170 : 0;
  const axis = 18;
  resize(canvas, width, keys.length * height + axis);
  const context = canvas.getContext("2d");
  const colours = coloursOf(canvas);
  const plot = { context, colours, left: labels, width: width - labels, height };
  for (const [row, key] of keys.entries()) drawLane(plot, past, key, row);
  drawAxis(plot, past, keys.length * height);
  context.fillStyle = colours.text;
  context.fillRect(labels + past.share(index) * (width - labels) - 1, 0, 2, keys.length * height);
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

function drawLane({ context, colours, left, width, height }, past, key, row) {
  const top = row * height;
  if (left > 0) {
    context.fillStyle = colours.quiet;
    context.font = "11px ui-monospace, monospace";
    context.fillText(shortened(key), 0, top + height - 3, left - 8);
  }
  const lane = past.lanes.get(key);
  for (const [at, { index, cell }] of lane.entries()) {
    if (cell === null) continue;
    const from = left + past.share(index) * width;
    const to = at + 1 < lane.length ? left + past.share(lane[at + 1].index) * width : left + width;
    drawPiece({ context, colours, height }, cell, { from, top, length: Math.max(1, to - from) });
  }
}

const shortened = (key) => (key.length > 26 ? `…${key.slice(-25)}` : key);

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
  context.fillStyle = colours.quiet;
  context.font = "11px system-ui, sans-serif";
  const ticks = Math.max(2, Math.floor(width / 130));
  for (let tick = 0; tick <= ticks; tick += 1) {
    const index = past.indexAt(tick / ticks);
    if (past.times[index] === undefined) return;
    context.textAlign = tick === 0 ? "left" : tick === ticks ? "right" : "center";
    context.fillText(clockTime(past.times[index]), left + (tick / ticks) * width, top + 14);
  }
  context.textAlign = "left";
}

const mostReplaced = 100;

function drawReplaced({ replaced }) {
  const title = at("replaced-title");
  const text =
    replaced.length === 0
      ? "No unit was replaced yet"
      : `${plural(replaced.length, "unit")} replaced`;
  if (title.textContent === text) return;
  title.textContent = text;
  at("replaced").replaceChildren(
    ...replaced
      .slice(-mostReplaced)
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
