/** Recorded revisions, what each changed, what differs between any two, and the way back to one. */
import { ask, at, element, redraw } from "./connection.js";
import { act } from "./actions.js";
import { age, inNamespace, plural } from "./words.js";

const shown = { id: undefined, from: undefined, to: undefined, key: undefined };

export function drawRevisions(id, view, { mayAct, nowMs }) {
  const { revisions } = view;
  at("revisions-panel").hidden = revisions.length === 0;
  redraw(at("revisions"), [id, revisions, mayAct, Math.floor(nowMs / 10_000)], () =>
    revisions.map((each) => line(each, view, mayAct, nowMs)),
  );
  if (shown.id !== id) Object.assign(shown, { id, from: undefined, to: undefined, key: undefined });
  at("compare").hidden = revisions.length < 2;
  at("differences").hidden = revisions.length < 2;
  if (revisions.length < 2) return;
  const [from, to] = pairOf(view);
  for (const [select, number] of [
    ["from", shown.from ?? from],
    ["to", shown.to ?? to],
  ]) {
    redraw(at(select), [id, revisions.map((each) => each.number), number], () =>
      revisions.map((each) => option(each.number, each.number === number)),
    );
  }
  void compare(id);
}

/** What it goes from and to; at rest the last two. */
function pairOf({ current, target, revisions }) {
  const isMoving =
    current?.number !== undefined &&
    target?.number !== undefined &&
    current.number !== target.number;
  return isMoving ? [current.number, target.number] : [revisions[1].number, revisions[0].number];
}

const option = (number, isChosen) =>
  element(
    "option",
    { value: String(number), selected: isChosen ? "" : undefined },
    `revision ${number}`,
  );

function line({ number, name, createdAt, role, pods, changeCause, changes }, view, mayAct, nowMs) {
  const named = `${view.object.word}/${view.object.name}`;
  const place = inNamespace(view.object.namespace);
  const undo = () =>
    act(
      { verb: "undo", toRevision: number },
      {
        question: `Go back to revision ${number} of ${named}?`,
        command: `lockstep undo ${named} --to-revision ${number}${place}`,
      },
    );
  const isThere = number === view.target?.number;
  return element(
    "li",
    {},
    element("strong", {}, `${number}`),
    element(
      "span",
      {},
      changeCause ?? (changes || (number === 1 ? "first" : "the oldest that is kept")),
      element("small", {}, ` ${name}`),
    ),
    element(
      "span",
      { class: "quiet" },
      `${role === "" ? "" : `${role}, `}${plural(pods, "pod")}, ${age(createdAt, nowMs)} old`,
    ),
    ...(mayAct && !isThere
      ? [
          element(
            "button",
            { type: "button", class: "small", onclick: undo },
            `Go back to ${number}`,
          ),
        ]
      : []),
  );
}

async function compare(id) {
  const [from, to] = [at("from").value, at("to").value];
  const key = `${id} ${from} ${to}`;
  if (shown.key === key || from === "" || to === "") return;
  shown.key = key;
  const found = await ask(`diff?rollout=${encodeURIComponent(id)}&from=${from}&to=${to}`).catch(
    () => [],
  );
  if (shown.key !== key) return;
  at("differences").replaceChildren(
    ...(found.length === 0
      ? [element("p", { class: "quiet" }, "no difference")]
      : found.map(difference)),
  );
}

const difference = ({ path, before, after }) =>
  element(
    "div",
    { class: "difference" },
    element("h4", {}, path),
    ...(before === undefined ? [] : [element("pre", { class: "before" }, `- ${before}`)]),
    ...(after === undefined ? [] : [element("pre", { class: "after" }, `+ ${after}`)]),
  );

for (const select of ["from", "to"]) {
  at(select).addEventListener("change", () => {
    shown[select] = Number(at(select).value);
    void compare(shown.id);
  });
}
