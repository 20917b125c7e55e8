/** The head of a rollout's page: what it is, where it is, how much of its budget is used, and why it waits. */
import { at, codeOf, copyButton, element, redraw } from "./connection.js";
import { badge } from "./list.js";
import { age, duration } from "./words.js";

/** Wherever somebody is on the page, the state is in sight: at the top, or in the bar above everything. */
new IntersectionObserver(([head]) => {
  at("to-top").hidden = head.isIntersecting || at("rollout").hidden;
}).observe(at("head"));
at("to-top").addEventListener("click", showHead);

export function showHead() {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  window.scrollTo({ top: 0, behavior: isCalm ? "auto" : "smooth" });
}

/** Ages go on without any change. */
export function drawSummary(view, nowMs) {
  const { object, reason, why, since } = view;
  const second = Math.floor(nowMs / 1000);
  const partition = view.partition === undefined ? "" : `, partition ${view.partition}`;
  at("kind").textContent = `${object.kind} in ${object.namespace}: ${view.strategy}${partition}`;
  at("name").textContent = object.name;
  const forHow = age(since, nowMs);
  redraw(at("state"), [view.state, forHow], () => [
    badge(view.state),
    forHow === "" ? "" : ` for ${forHow}`,
  ]);
  redraw(at("to-top"), [object.name, view.state], () => [`${object.name} `, badge(view.state)]);
  at("reason").textContent = view.headline;
  at("reason").title = reason.message;
  const numbers = numbersOf(view);
  redraw(at("numbers"), numbers, () => numbers.map(tile));
  placeWhy(view);
  redraw(at("why"), [why, second], () => whyRows(why, nowMs));
  redraw(at("events"), [view.events, second], () =>
    view.events.map((event) => eventLine(event, nowMs)),
  );
}

/**
 * Before everything else where something is stuck. What moves is below the pods, since it grows and shrinks; what is
 * healthy has nothing to explain.
 */
function placeWhy({ state, why, asksForHelp }) {
  const panel = at("why-panel");
  const before = asksForHelp ? at("numbers") : at("past-panel");
  if (panel.nextElementSibling !== before) before.before(panel);
  panel.hidden = state === "Healthy" && why.notes.length === 0;
  panel.dataset.state = asksForHelp ? "Stalled" : state;
}

/** Label, value, what it means, and the share of a bar. */
function numbersOf(view) {
  const { counts, budget, target, changes } = view;
  if (counts.unit === "cluster") return [serving("Listed", counts)];
  return [
    rolledOut(view),
    serving("Available", counts),
    ...(budget === undefined ? [] : [unavailable(view), surge(view)]),
    ...(target === undefined
      ? []
      : [["Revision", `${from(view)}${revision(target)}`, changes || target.name]]),
  ];
}

/** What the list calls updated may not serve yet. */
function rolledOut({ progress, partition, etaMs }) {
  const { unit, done, total } = progress;
  const which = partition === undefined ? "" : " from the partition on";
  const eta = etaMs === undefined ? "" : `, about ${duration(etaMs)} left`;
  return [
    "Progress",
    gauge({ used: done, allowed: total }),
    `${unit}s${which} serve on the target${eta}`,
    share(done, total),
  ];
}

const serving = (label, { available, desired, unit }) => [
  label,
  gauge({ used: available, allowed: desired }),
  `${unit}s`,
  share(available, desired),
];

/**
 * A unit may count while it serves: then the tile beside it says that all are available. What comes up for the first
 * time breaks no promise yet.
 */
const unavailable = ({ budget, budgetNote, counts, isComingUp }) => {
  const which = `${counts.unit}s that may be unavailable`;
  return [
    "Budget used",
    gauge(budget.unavailable),
    budgetNote || (isComingUp ? `${which} once all of them have served` : which),
    null,
    !isComingUp && isOver(budget.unavailable),
  ];
};

const surge = ({ budget, counts }) => [
  "Surge used",
  gauge(budget.surge),
  `${counts.unit}s that may be added meanwhile`,
  null,
  isOver(budget.surge),
];

const from = ({ current, target }) =>
  current !== undefined && current.name !== target.name ? `${revision(current)} → ` : "";

const share = (part, whole) => (whole === 0 ? 1 : part / whole);
const gauge = ({ used, allowed }) => `${used}/${allowed}`;
const isOver = ({ used, allowed }) => used > allowed;
const revision = ({ number, name }) => (number === undefined ? name : String(number));

function tile([label, value, note, part, isBad]) {
  const bar =
    part === undefined || part === null
      ? []
      : [element("progress", { max: "1", value: String(part), "aria-label": `${label} ${value}` })];
  return element(
    "div",
    { class: isBad ? "tile over" : "tile" },
    element("span", { class: "quiet" }, label),
    element("strong", { class: value.length > 9 ? "long" : "" }, value),
    element("small", { title: note }, note),
    ...bar,
  );
}

function whyRows(why, nowMs) {
  const more = why.waitingFor - why.waitsFor.length;
  const rows = [
    ...withSameCause(why.waitsFor).map((units) => ["waits for", units]),
    ["", more > 0 ? `and ${more} more` : ""],
    ["freed by", why.freedBy],
    ...why.commands.map((command) => ["type", command]),
    ["rule", `${why.rule.number} ${why.rule.title}: ${why.rule.sentence}`],
    ...(why.notes ?? []).map((note) => ["note", note]),
  ].filter(([, content]) => content !== undefined && content !== "");
  return rows.flatMap(([term, content], at) => [
    element("dt", {}, rows[at - 1]?.[0] === term ? "" : term),
    element("dd", {}, ...whyContent(term, content, nowMs)),
  ]);
}

/** Units in the order in which they come; what is said of several is said once, so that the command stays in sight. */
function withSameCause(units) {
  const groups = new Map();
  for (const unit of units) {
    const key = JSON.stringify([unit.health, unit.cause]);
    groups.set(key, [...(groups.get(key) ?? []), unit]);
  }
  return [...groups.values()];
}

function whyContent(term, content, nowMs) {
  if (term === "waits for") {
    const [{ health, cause, since }] = content;
    const forHow = age(since, nowMs);
    return [
      ...content.flatMap(({ name }, at) => [at === 0 ? "" : ", ", element("strong", {}, name)]),
      ` ${health}${forHow === "" ? "" : ` for ${forHow}`}`,
      cause === undefined ? "" : `: ${cause}`,
    ];
  }
  if (term !== "type") return [content];
  const { command, does } = content;
  return [codeOf(command), copyButton(command), element("small", {}, ` ${does}`)];
}

function eventLine({ type, reason, message, lastSeen, count }, nowMs) {
  return element(
    "li",
    {},
    element("time", { datetime: lastSeen }, age(lastSeen, nowMs)),
    element(
      "strong",
      { class: type === "Warning" ? "warning" : "" },
      `${type === "Warning" ? "⚠ " : ""}${reason}`,
    ),
    element("span", {}, `${message}${count > 1 ? ` (${count} times)` : ""}`),
  );
}
