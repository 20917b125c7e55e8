/** The simulated nodes of `up` with their GPUs, and samples to start: everything here is one click. */
import { at, element, redraw } from "./connection.js";
import { breakIt } from "./actions.js";
import { plural } from "./words.js";

export function drawNodes(nodes, canBreak) {
  at("cluster").hidden = false;
  redraw(at("nodes"), [nodes, canBreak], () => nodes.map((node) => nodeItem(node, canBreak)));
}

function nodeItem(node, canBreak) {
  const { name, isCordoned, answers, gpus, gpusTaken, pods } = node;
  const state = stateOf(node);
  const slots = Array.from({ length: gpus }, (_, at) =>
    element("span", { class: at < gpusTaken ? "gpu taken" : "gpu" }),
  );
  const press = (title, verb) =>
    element(
      "button",
      { type: "button", class: "small", onclick: () => breakIt({ verb, node: name }) },
      title,
    );
  return element(
    "li",
    { class: `node ${state}` },
    element(
      "span",
      { class: "row" },
      element("strong", {}, name),
      element("span", {}, state === "ready" ? "" : (words[state] ?? state)),
    ),
    element(
      "span",
      { class: "gpus", role: "img", "aria-label": `${gpusTaken} of ${gpus} GPUs in use` },
      ...slots,
    ),
    element("span", { class: "quiet" }, `${plural(pods, "pod")}, ${gpusTaken}/${gpus} GPUs`),
    ...(canBreak
      ? [
          element(
            "span",
            { class: "buttons" },
            press(isCordoned ? `Uncordon` : `Cordon`, isCordoned ? "uncordon" : "cordon"),
            press(answers ? "Lose it" : "Recover", answers ? "loseNode" : "recoverNode"),
          ),
        ]
      : []),
  );
}

const words = { silent: "does not answer" };

/** The cluster takes a while to call a node lost that does not answer. */
function stateOf({ isReady, isCordoned, answers }) {
  if (!isReady) return "lost";
  if (!answers) return "silent";
  return isCordoned ? "cordoned" : "ready";
}

export function drawSamples(samples, start) {
  at("samples").hidden = samples.length === 0;
  redraw(at("sample-list"), samples, () =>
    samples.map(({ name, title, shows }) =>
      element(
        "li",
        {},
        element(
          "button",
          { type: "button", onclick: () => start(name) },
          element("strong", {}, title),
          element("span", { class: "quiet" }, shows),
        ),
      ),
    ),
  );
  if (samples.length > 0) {
    at("none-text").textContent =
      "One click starts a sample. Then change its image, or break something, and see the promise kept.";
  }
}

/** Beside the rollouts; in their place where there are none yet. */
export function placeSamples(isEmpty) {
  const samples = at("samples");
  const place = isEmpty ? at("none") : at("layout");
  if (samples.parentElement === place) return;
  const hadFocus = samples.contains(document.activeElement);
  place.append(samples);
  if (hadFocus) at("main").focus();
}
