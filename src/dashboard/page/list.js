/** The list of rollouts: state, progress, and which of them need somebody. */
import { attentionText } from "./attention.js";
import { at, element } from "./connection.js";
import { stateIcons } from "./words.js";

/** In the order in which they are shown. */
let rollouts = [];
let isDrawn = false;
let openedId;
let onOpen = () => undefined;
/** By rollout: what is about to be pressed must not be made anew when another one changes. */
const items = new Map();
/** What an item shows. */
const shownIn = new WeakMap();

const needsHelp = ({ state, leftSince }) =>
  leftSince !== undefined || state === "Stalled" || state === "Rejected";
const byName = new Intl.Collator("en", { numeric: true }).compare;
const placeOf = ({ object }) => `${object.namespace}/${object.name} ${object.kind}`;
const byPlace = (a, b) => byName(placeOf(a), placeOf(b));

export function hearList(data, open) {
  rollouts = data.toSorted(byPlace);
  isDrawn = false;
  onOpen = open;
}

export function hearListed({ changed, gone }) {
  const known = new Map(rollouts.map((each) => [each.id, each]));
  for (const id of gone) known.delete(id);
  for (const each of changed) known.set(each.id, each);
  rollouts = [...known.values()].toSorted(byPlace);
  isDrawn = false;
}

/** What this user may not see must not look as if it were not there. */
export function hearHidden(sentences) {
  at("hidden-kinds").hidden = sentences.length === 0;
  at("hidden-kinds").textContent = `Not shown: ${sentences.join("; ")}.`;
  at("none-title").textContent =
    sentences.length === 0 ? "Nothing rolls out yet" : "Nothing that you may see rolls out";
}

export const firstId = () => (rollouts.find(needsHelp) ?? rollouts[0])?.id;
export const isListed = (id) => rollouts.some((each) => each.id === id);
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
  const isOther = openedId !== id;
  if (isDrawn && !isOther) return;
  openedId = id;
  isDrawn = true;
  const stuck = rollouts.filter(needsHelp);
  at("attention").hidden = stuck.length === 0;
  at("attention").textContent = `${stateIcons.Stalled} ${attentionText(stuck)}`;
  at("filter-label").hidden = rollouts.length < 6;
  const shown = shownRollouts();
  for (const each of shown) drawItem(each);
  const wanted = shown.map((each) => items.get(each.id));
  const there = [...at("rollouts").children];
  const isSame =
    wanted.length === there.length && wanted.every((item, index) => item === there[index]);
  if (!isSame) at("rollouts").replaceChildren(...wanted);
  forgetGone();
  if (isOther) items.get(id)?.scrollIntoView({ block: "nearest" });
}

function forgetGone() {
  if (items.size <= rollouts.length) return;
  const there = new Set(rollouts.map(({ id }) => id));
  for (const id of items.keys()) if (!there.has(id)) items.delete(id);
}

/** The one after the open one that cannot go on. */
function openStuck() {
  const stuck = rollouts.filter(needsHelp);
  const index = stuck.findIndex(({ id }) => id === openedId);
  onOpen(stuck[(index + 1) % stuck.length]?.id);
}

function drawItem(rollout) {
  const { id } = rollout;
  const isOpen = id === openedId;
  const known =
    items.get(id) ??
    element("li", {}, element("button", { type: "button", onclick: () => onOpen(id) }));
  items.set(id, known);
  const [button] = known.children;
  if (button.getAttribute("aria-current") !== String(isOpen)) {
    button.setAttribute("aria-current", String(isOpen));
  }
  if (shownIn.get(button) === rollout) return;
  shownIn.set(button, rollout);
  button.replaceChildren(...contents(rollout));
}

function contents({ object, state, counts, progress, leftSince }) {
  const isUnknown = state === "Progressing";
  const share = progress.total === 0 ? Number(!isUnknown) : progress.done / progress.total;
  return [
    element("span", { class: "row" }, element("strong", {}, object.name), quiet(object.namespace)),
    element("span", { class: "row" }, quiet(object.kind), badge(state)),
    element("progress", {
      max: "1",
      value: String(share),
      "aria-label": `${progress.done} of ${progress.total} updated`,
    }),
    quiet(leftSince === undefined ? countsText(counts) : "waits for an operator"),
  ];
}

const quiet = (text) => element("span", { class: "quiet" }, text);

const countsText = ({ available, desired, updated, unit }) =>
  unit === "cluster"
    ? `${available}/${desired} clusters listed`
    : `${available}/${desired} ${unit}s available, ${updated} updated`;

export const badge = (state) =>
  element(
    "span",
    { class: `state state-${state}` },
    element("span", { "aria-hidden": "true" }, stateIcons[state] ?? ""),
    ` ${state}`,
  );

at("filter").addEventListener("input", () => {
  isDrawn = false;
  drawList(openedId);
});
at("attention").addEventListener("click", openStuck);
