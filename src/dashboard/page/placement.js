/** Clusters that are on their way between two PlacementDecisions: a row each, a column per decision. */
import { at, element, redraw } from "./connection.js";
import { plural } from "./words.js";

const mostRows = 12;
const byName = new Intl.Collator("en", { numeric: true }).compare;

export function drawMoving(cells) {
  const listings = new Map();
  for (const { name, unit } of cells.values()) {
    listings.set(name, [...(listings.get(name) ?? []), unit]);
  }
  const moving = [...listings].filter(([, units]) => units.length > 1);
  at("moving").hidden = moving.length === 0;
  redraw(at("moving"), moving, () => table(moving));
}

function table(moving) {
  if (moving.length === 0) return [];
  const columns = [...new Set(moving.flatMap(([, units]) => units))].toSorted(byName);
  const head = element(
    "tr",
    {},
    element("td"),
    ...columns.map((name) => element("th", { scope: "col" }, name)),
  );
  const rows = moving
    .slice(0, mostRows)
    .map(([cluster, units]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, cluster),
        ...columns.map((name) => element("td", {}, units.includes(name) ? "● listed" : "")),
      ),
    );
  const text = `Surge: ${plural(moving.length, "cluster")} listed in two decisions on the way, so that no reader misses one.`;
  return [
    element("p", {}, text, moving.length > mostRows ? ` The first ${mostRows}:` : ""),
    element(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Clusters on their way" },
      element("table", {}, head, ...rows),
    ),
  ];
}
