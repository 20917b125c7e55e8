/** Pods as cells by ordinal, in the units and components that they belong to. Only what changed is touched. */
import { at, element } from "./connection.js";
import { plural } from "./words.js";

const signs = {
  ready: "r",
  starting: "…",
  broken: "!",
  terminating: "×",
  missing: "-",
  partial: "…",
};
const byName = new Intl.Collator("en", { numeric: true }).compare;
/** With more cells than this they are small and carry no text. */
const dense = 240;

const drawn = { id: undefined, cells: new Map(), elements: new Map(), units: new Map() };
let onPick = () => undefined;

/**
 * `serves` is what an available cell does: a cluster is listed. While something moves, rows whose pods are away keep
 * their places.
 */
export function drawGrid(id, cells, { pick, hint, serves, isMoving }) {
  onPick = pick;
  if (drawn.id !== id) clear(id);
  for (const [key, cell] of cells) {
    if (drawn.cells.get(key) !== cell) show(cell);
  }
  for (const key of drawn.cells.keys()) if (!cells.has(key)) remove(key);
  at("grid").classList.toggle("dense", cells.size > dense);
  if (at("grid").dataset.hint !== hint) at("grid").dataset.hint = hint;
  countUnits(isMoving);
  drawLegend(cells, serves);
}

function clear(id) {
  Object.assign(drawn, { id, cells: new Map(), elements: new Map(), units: new Map() });
  at("grid").replaceChildren();
  at("pod").textContent = "";
}

export const describe = ({ name, health, isUpdated, isSurge, revision, cause, node, restarts }) =>
  [
    `${name}: ${health}`,
    ...(revision === "" ? [] : [`revision ${revision}`]),
    isUpdated ? "up to date" : "outdated",
    ...(isSurge ? ["surge"] : []),
    ...(node === undefined ? [] : [`on ${node}`]),
    ...(restarts === undefined ? [] : [plural(restarts, "restart")]),
    ...(cause === undefined ? [] : [cause]),
  ].join(", ");

function show(cell) {
  const { key, health, isUpdated, isSurge, revision } = cell;
  const made = drawn.elements.get(key) ?? place(cell);
  const look = `cell ${health} ${isUpdated ? "updated" : "outdated"}${isSurge ? " surge" : ""}`;
  const text = signs[health] ?? (revision.length <= 3 ? revision : "");
  if (made.className !== look) made.className = look;
  if (made.textContent !== text) made.textContent = text;
  const title = describe(cell);
  made.setAttribute("aria-label", title);
  made.title = title;
  drawn.cells.set(key, cell);
}

function place(cell) {
  const made = element("button", { type: "button", tabindex: "-1", "data-pod": cell.name });
  made.dataset.key = cell.key;
  const row = partOf(cell);
  const next = [...row.children].findLast((each) => byName(each.dataset.key, cell.key) < 0);
  if (next === undefined) row.prepend(made);
  else next.after(made);
  drawn.elements.set(cell.key, made);
  if (at("grid").querySelector('[tabindex="0"]') === null) made.tabIndex = 0;
  return made;
}

function remove(key) {
  const made = drawn.elements.get(key);
  const isStop = made?.tabIndex === 0;
  made?.remove();
  drawn.elements.delete(key);
  drawn.cells.delete(key);
  const [first] = drawn.elements.values();
  if (isStop && first !== undefined) first.tabIndex = 0;
}

const byPart = ([a], [b]) => byName(a, b);

/** The row of cells of one component inside of one unit. */
function partOf({ unit, part }) {
  const block = drawn.units.get(unit) ?? addUnit(unit);
  const known = block.parts.get(part);
  if (known !== undefined) return known;
  const row = element("div", { class: "cells" });
  const label = part === "" ? [] : [element("span", { class: "label" }, part)];
  const made = element("div", { class: "part" }, ...label, row);
  // Pods come in the order in which they were replaced.
  const next = [...block.parts].filter(([name]) => byName(name, part) > 0).toSorted(byPart)[0];
  if (next === undefined) block.element.append(made);
  else next[1].parentElement.before(made);
  block.parts.set(part, row);
  return row;
}

function addUnit(unit) {
  const count = element("small");
  const title = unit === "" ? [] : [element("h4", {}, unit, " ", count)];
  const made = element("div", { class: "unit" }, ...title);
  const block = { element: made, count, parts: new Map() };
  const before = [...drawn.units].findLast(
    ([name]) => /\d/.test(unit) && byName(name, unit) < 0,
  )?.[1];
  if (before === undefined || !/\d/.test(unit)) at("grid").append(made);
  else before.element.after(made);
  drawn.units.set(unit, block);
  return block;
}

function countUnits(isMoving) {
  for (const { element: made, count, parts } of drawn.units.values()) {
    const cells = [...parts.values()].reduce((sum, row) => sum + row.childElementCount, 0);
    const shown = `${cells} ${isMoving}`;
    if (made.dataset.shown === shown) continue;
    made.dataset.shown = shown;
    made.hidden = cells === 0 && !isMoving;
    count.textContent = String(cells);
    for (const row of parts.values()) {
      row.parentElement.hidden = row.childElementCount === 0 && !isMoving;
    }
  }
}

const legend = [
  {
    look: "available updated",
    text: "target",
    is: ({ health, isUpdated }) => health === "available" && isUpdated,
  },
  {
    look: "available outdated",
    text: "earlier",
    is: ({ health, isUpdated }) => health === "available" && !isUpdated,
  },
  {
    look: "ready updated",
    text: "ready, not yet for long enough",
    is: ({ health }) => health === "ready",
  },
  {
    look: "starting updated",
    text: "start",
    is: ({ health }) => health === "starting" || health === "partial",
  },
  { look: "broken", text: "broken", is: ({ health }) => health === "broken" },
  { look: "terminating", text: "terminate", is: ({ health }) => health === "terminating" },
  { look: "available updated surge", text: "surge", is: ({ isSurge }) => isSurge },
];

function drawLegend(cells, serves) {
  const all = [...cells.values()];
  const rows = legend
    .map(({ look, text, is }) => ({
      look,
      text: serves[text] ?? text,
      count: all.filter(is).length,
    }))
    .filter(({ count }) => count > 0);
  const text = JSON.stringify(rows);
  if (at("legend").dataset.drawn === text) return;
  at("legend").dataset.drawn = text;
  at("legend").replaceChildren(
    ...rows.map(({ look, text: words, count }) => {
      const sign = signs[look.split(" ")[0]] ?? "";
      return element(
        "li",
        {},
        element("span", { class: `cell ${look}` }, sign),
        ` ${count} ${words}`,
      );
    }),
  );
}

const cellOf = (event) => drawn.cells.get(event.target.closest?.(".cell")?.dataset.key);

function detail(event) {
  const cell = cellOf(event);
  if (cell === undefined) return;
  const { hint } = at("grid").dataset;
  at("pod").textContent = `${describe(cell)}${hint === "" ? "" : ` (${hint})`}`;
}

/** One stop for the tab key; arrows go from cell to cell. */
function move(event) {
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: "row", ArrowUp: "back" };
  const step = steps[event.key];
  const from = event.target.closest?.(".cell");
  if (step === undefined || from === null) return;
  event.preventDefault();
  event.stopPropagation();
  const cells = [...at("grid").querySelectorAll(".cell")];
  const to = typeof step === "number" ? cells[cells.indexOf(from) + step] : inNextRow(from, step);
  if (to === undefined) return;
  from.tabIndex = -1;
  to.tabIndex = 0;
  to.focus();
}

function inNextRow(from, direction) {
  const rows = [...at("grid").querySelectorAll(".cells")].filter(
    (row) => row.childElementCount > 0,
  );
  const row = rows[rows.indexOf(from.parentElement) + (direction === "row" ? 1 : -1)];
  const column = [...from.parentElement.children].indexOf(from);
  return row?.children[Math.min(column, row.childElementCount - 1)];
}

at("grid").addEventListener("mouseover", detail);
at("grid").addEventListener("focusin", detail);
at("grid").addEventListener("keydown", move);
at("grid").addEventListener("click", (event) => {
  const cell = cellOf(event);
  if (cell !== undefined) onPick(cell);
});
