/** The simulated nodes of `up` with their GPUs, and samples to start: everything here is one click. */
import { at, element, redraw } from "./connection.js";
import { breakIt } from "./actions.js";
import { plural } from "./words.js";

export function drawNodes(nodes, canBreak) {
  at("cluster").hidden = false;
  redraw(at("nodes"), [nodes, canBreak], () => nodes.map((node) => nodeItem(node, canBreak)));
}

function nodeItem({ name, isReady, isCordoned, gpus, gpusTaken, pods }, canBreak) {
  const state = isReady ? (isCordoned ? "cordoned" : "ready") : "lost";
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
      element("span", {}, state === "ready" ? "" : state),
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
            press(isReady ? "Lose it" : "Recover", isReady ? "loseNode" : "recoverNode"),
          ),
        ]
      : []),
  );
}

export function drawSamples(samples) {
  at("samples").hidden = samples.length === 0;
  redraw(at("sample-list"), samples, () =>
    samples.map(({ name, title, shows }) =>
      element(
        "li",
        {},
        element(
          "button",
          { type: "button", onclick: () => breakIt({ verb: "start", name }) },
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
