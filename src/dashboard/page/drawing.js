/** Draws pods as cells and their number over time as a curve. */
import { at, element } from "./connection.js";

const signs = {
  available: "",
  ready: "r",
  starting: "…",
  broken: "!",
  terminating: "×",
  missing: "-",
};

/** Pods of one component in one row; a click crashes one where that is allowed. */
export function drawGrid(cells, crash) {
  const rows = new Map();
  for (const cell of cells) {
    const component = cell.name.replace(/-\d+$/, "");
    rows.set(component, [...(rows.get(component) ?? []), cell]);
  }
  at("grid").replaceChildren(
    ...[...rows].map(([component, pods]) =>
      element(
        "div",
        { class: "component" },
        element("span", {}, component),
        element("div", { class: "cells" }, ...pods.map((cell) => drawCell(cell, crash))),
      ),
    ),
  );
  at("legend").textContent =
    "green border: target revision, amber: earlier one; filled: available; dashed !: broken; dotted ×: terminating; round: surge";
}

function drawCell(cell, crash) {
  const { name, health, isUpdated, isSurge, revision } = cell;
  const title = `${name}: ${health}, ${isUpdated ? "updated" : "not updated"}${isSurge ? ", surge" : ""} (${revision})`;
  const classes = ["cell", health, isUpdated ? "updated" : "", isSurge ? "surge" : ""].join(" ");
  const properties = { class: classes, title, "aria-label": title, "data-pod": name };
  if (crash === undefined)
    return element("span", { ...properties, role: "img" }, signs[health] ?? "");
  return element(
    "button",
    { ...properties, type: "button", onclick: () => crash(name) },
    signs[health] ?? "",
  );
}

export function drawCurve(frames, index) {
  const times = frames.map((frame) => Date.parse(frame.at));
  const [first = 0] = times;
  const span = Math.max(1, (times.at(-1) ?? 0) - first);
  const most = Math.max(1, ...frames.map(({ available }) => available));
  const x = (ms) => ((ms - first) / span) * 100;
  const y = (count) => 38 - (count / most) * 36;
  const steps = frames.map(({ available }, each) =>
    each === 0 ? `M0 ${y(available)}` : `H${x(times[each])} V${y(available)}`,
  );
  const namespace = "http://www.w3.org/2000/svg";
  const svg = at("curve");
  svg.setAttribute("viewBox", "0 0 100 40");
  const path = document.createElementNS(namespace, "path");
  path.setAttribute("d", steps.join(" ") || "M0 38");
  const line = document.createElementNS(namespace, "line");
  const where = x(times[index] ?? first);
  for (const [name, value] of Object.entries({ x1: where, x2: where, y1: 0, y2: 40 }))
    line.setAttribute(name, String(value));
  svg.replaceChildren(path, line);
  svg.setAttribute(
    "aria-label",
    `Available pods over time: ${frames
      .map(({ available }) => available)
      .slice(-20)
      .join(", ")}`,
  );
}
