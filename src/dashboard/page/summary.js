/** The head of a rollout's page: what it is, where it is, how much of its budget is used, and why it waits. */
import { at, element, redraw } from "./connection.js";
import { badge } from "./list.js";
import { age, duration } from "./words.js";

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
  at("reason").textContent = reason.message;
  at("reason").title = reason.message;
  redraw(at("numbers"), numbersOf(view), () => numbersOf(view).map(tile));
  at("why-panel").dataset.state = view.state;
  redraw(at("why"), [why, second], () => whyRows(why, nowMs));
  redraw(at("events"), [view.events, second], () =>
    view.events.map((event) => eventLine(event, nowMs)),
  );
}

/** Label, value, what it means, and the share of a bar. */
function numbersOf(view) {
  const { counts, budget, progress, current, target, changes } = view;
  const from =
    current !== undefined && current.name !== target?.name ? `${revision(current)} → ` : "";
  const eta = view.etaMs === undefined ? "" : `, about ${duration(view.etaMs)} left`;
  return [
    [
      "Updated",
      `${progress.done}/${progress.total}`,
      `${progress.unit}s${eta}`,
      share(progress.done, progress.total),
    ],
    [
      "Available",
      `${counts.available}/${counts.desired}`,
      `${counts.unit}s`,
      share(counts.available, counts.desired),
    ],
    ...(budget === undefined
      ? []
      : [
          [
            "Unavailable",
            gauge(budget.unavailable),
            "of what the budget allows",
            null,
            isOver(budget.unavailable),
          ],
          ["Surge", gauge(budget.surge), "of what the budget allows", null, isOver(budget.surge)],
        ]),
    ...(target === undefined
      ? []
      : [["Revision", `${from}${revision(target)}`, changes || target.name]]),
  ];
}

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
    ...why.waitsFor.map((unit) => ["waits for", unit]),
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

function whyContent(term, content, nowMs) {
  if (term === "waits for") {
    const { name, health, cause, since } = content;
    const forHow = age(since, nowMs);
    return [
      element("strong", {}, name),
      ` ${health}${forHow === "" ? "" : ` for ${forHow}`}`,
      cause === undefined ? "" : `: ${cause}`,
    ];
  }
  if (term !== "type") return [content];
  const { command, does } = content;
  return [element("code", {}, command), copyButton(command), element("small", {}, ` ${does}`)];
}

function copyButton(command) {
  const copy = async (event) => {
    await navigator.clipboard.writeText(command);
    event.target.textContent = "copied";
  };
  return element("button", { type: "button", class: "small", onclick: copy }, "copy");
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
