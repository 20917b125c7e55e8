/** The list of rollouts: state, progress, and which of them need somebody. */
import { at, element, redraw } from "./connection.js";
import { plural, stateIcons } from "./words.js";

let rollouts = [];
let openedId;
let onOpen = () => undefined;

const needsHelp = ({ state }) => state === "Stalled" || state === "Rejected";

export function hearList(data, open) {
  rollouts = data;
  onOpen = open;
  drawList(openedId);
}

export const firstId = () => (rollouts.find(needsHelp) ?? rollouts[0])?.id;
export const hasRollouts = () => rollouts.length > 0;

/** The one after or before the one that is open, of those that are shown. */
export function neighbour(step) {
  const shown = shownRollouts();
  const index = shown.findIndex(({ id }) => id === openedId);
  return shown[Math.min(shown.length - 1, Math.max(0, index + step))]?.id;
}

function shownRollouts() {
  const words = at("filter").value.toLowerCase().split(" ").filter(Boolean);
  const text = ({ id, object, state }) => `${id} ${object.kind} ${state}`.toLowerCase();
  return rollouts.filter((each) => words.every((word) => text(each).includes(word)));
}

export function drawList(id) {
  openedId = id;
  const stuck = rollouts.filter(needsHelp).length;
  at("attention").hidden = stuck === 0;
  at("attention").textContent = `${stateIcons.Stalled} ${plural(stuck, "rollout")} cannot go on`;
  at("filter-label").hidden = rollouts.length < 6;
  const shown = shownRollouts();
  redraw(at("rollouts"), [shown, id], () => shown.map((each) => item(each, each.id === id)));
}

function item({ id, object, state, counts, progress }, isOpen) {
  const share = progress.total === 0 ? 1 : progress.done / progress.total;
  return element(
    "li",
    {},
    element(
      "button",
      { type: "button", "aria-current": String(isOpen), onclick: () => onOpen(id) },
      element("span", { class: "row" }, element("strong", {}, object.name), badge(state)),
      element("span", { class: "row quiet" }, object.kind, element("span", {}, object.namespace)),
      element("progress", {
        max: "1",
        value: String(share),
        "aria-label": `${progress.done} of ${progress.total} updated`,
      }),
      element(
        "span",
        { class: "quiet" },
        `${counts.available}/${counts.desired} ${counts.unit}s available, ${counts.updated} updated`,
      ),
    ),
  );
}

export const badge = (state) =>
  element(
    "span",
    { class: `state state-${state}` },
    element("span", { "aria-hidden": "true" }, stateIcons[state] ?? ""),
    ` ${state}`,
  );

at("filter").addEventListener("input", () => drawList(openedId));
