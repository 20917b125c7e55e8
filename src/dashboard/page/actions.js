/** Buttons that change a rollout: each asks first, says what it did, and how to take it back. */
import { showHead } from "./summary.js";
import { ask, asTyped, at, codeOf, copyButton, element, redraw, wordsOf } from "./connection.js";

const titles = {
  pause: "Pause",
  resume: "Resume",
  undo: "Undo",
  promote: "Promote",
  promoteFull: "Promote fully",
  restart: "Restart",
};
/** Of these one is shown: the one that would change something. */
const alternatives = { pause: "resume", resume: "pause" };

let page = null;

/** What would change nothing is there but cannot be pressed, and says why; what is not permitted is not there. */
export function drawActions(view, allowsActions) {
  page = view;
  const { denial, offers } = view;
  at("denial").hidden = denial === undefined;
  at("denial").textContent = denial === undefined ? "" : `Buttons are hidden: ${denial}.`;
  const mayAct = allowsActions && denial === undefined && view.state !== "Deleting";
  const shown = mayAct ? offers.filter((offer) => isShown(offer, offers)) : [];
  redraw(at("actions"), shown, () => shown.map(button));
  return mayAct;
}

function isShown({ verb, refusal, isImpossible }, offers) {
  if (isImpossible) return false;
  if (verb === "promoteFull") return refusal === undefined && isMoreThanOneStep(offers);
  if (refusal === undefined) return true;
  return alternatives[verb] === undefined || (verb === "pause" && isRefused("resume", offers));
}

const isRefused = (verb, offers) =>
  offers.find((each) => each.verb === verb)?.refusal !== undefined;
/** Where one step and all of them are not the same. */
const isMoreThanOneStep = (offers) => {
  const does = (verb) => offers.find((each) => each.verb === verb)?.does;
  return does("promote") !== does("promoteFull");
};

const button = ({ verb, refusal, command }) =>
  element(
    "button",
    {
      type: "button",
      title: refusal ?? asTyped(command),
      disabled: refusal === undefined ? undefined : "",
      "data-verb": verb,
      onclick: () => press(verb),
    },
    titles[verb],
  );

/** As if its button had been pressed; nothing where there is none. */
export function press(verb) {
  const offer = page?.offers.find((each) => each.verb === verb);
  const isThere = at("actions").querySelector(`[data-verb="${verb}"]:not(:disabled)`) !== null;
  if (offer === undefined || !isThere) return;
  const { word, name } = page.object;
  void act({ verb }, { question: `${titles[verb]} ${word}/${name}?`, ...offer });
}

export async function act(body, { question, does, command }) {
  if (!(await confirmed(question, does, command))) return;
  const id = `${page.object.word}/${page.object.namespace}/${page.object.name}`;
  await say(async () => {
    return ask("act", { rollout: id, ...body });
  });
  showHead();
}

function confirmed(question, does, command) {
  at("question").textContent = question;
  at("effect").textContent = does === undefined ? "" : `It will be ${does}.`;
  at("same").hidden = command === undefined;
  at("command").replaceChildren(...wordsOf(asTyped(command ?? "")));
  const dialog = at("confirm");
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

/** What was done to one rollout says nothing about another, and after a while nothing at all. */
const saidForMs = 120_000;
let forgetting;

export function forgetSaid() {
  clearTimeout(forgetting);
  at("said").replaceChildren();
}

/** One sentence about what was done, or why it was not. */
export async function say(work) {
  const said = at("said");
  clearTimeout(forgetting);
  forgetting = setTimeout(forgetSaid, saidForMs);
  try {
    said.dataset.state = "done";
    const answer = await work();
    const { message, takeBack } = answer;
    const back =
      takeBack === undefined
        ? []
        : [element("span", {}, "to take it back: ", codeOf(takeBack), copyButton(takeBack))];
    said.replaceChildren(element("span", { class: "clamped", title: message }, message), ...back);
    return answer;
  } catch (error) {
    said.dataset.state = "refused";
    said.textContent = `refused: ${error.message}`;
  }
}

/** What it does is seen at the top: the state, why it waits, and the pods. */
export async function pushBroken(rollout) {
  await breakIt({ verb: "pushBrokenImage", rollout });
  showHead();
}

/** Breaking the simulated cluster needs no question: it is what it is there for. */
export const breakIt = (body) => say(() => ask("break", body));
