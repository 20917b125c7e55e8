/** The page: follows the server by one stream, draws what it hears, and asks before it changes anything. */
import { ask, at, element, headers, opened, token } from "./connection.js";
import { drawCurve, drawGrid } from "./drawing.js";

const state = { id: opened, view: null, frames: [], moment: null, features: {}, stream: null };

/** Server-sent events over fetch: an EventSource could not send the token. */
async function follow() {
  state.stream?.abort();
  const ending = new AbortController();
  state.stream = ending;
  const query = state.id === undefined ? "" : `?rollout=${encodeURIComponent(state.id)}`;
  try {
    const response = await fetch(`/api/stream${query}`, { headers, signal: ending.signal });
    if (!response.ok) throw new Error((await response.json()).message);
    at("connection").textContent = "live";
    await readEvents(response.body.pipeThrough(new TextDecoderStream()).getReader());
  } catch (error) {
    if (ending.signal.aborted) return;
    at("connection").textContent = `not connected: ${error.message}`;
  }
  if (!ending.signal.aborted) setTimeout(follow, 1000);
}

async function readEvents(reader) {
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const [event, data] = part.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
      hear(event, JSON.parse(data));
    }
  }
}

function hear(event, data) {
  if (event === "list") drawList(data);
  if (event === "nodes") drawNodes(data);
  if (event === "rollout") {
    state.view = data;
    remember(data);
    schedule();
  }
}

/** At most one drawing per frame, however much changes. */
let isScheduled = false;
function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    drawRollout();
  });
}

function remember(view) {
  if (view === null) return;
  const cells = podsIn(view.nodes).map((pod) => ({
    name: pod.name,
    revision: pod.revision?.name ?? "",
    health: pod.health,
    isUpdated: pod.isUpdated === true,
    isSurge: pod.isSurge === true,
  }));
  const available = cells.filter(({ health }) => health === "available").length;
  const frame = {
    at: new Date().toISOString(),
    state: view.state,
    reason: view.reason.message,
    available,
    cells,
  };
  const last = state.frames.at(-1);
  if (last !== undefined && JSON.stringify(last.cells) === JSON.stringify(cells)) return;
  state.frames.push(frame);
}

const podsIn = (nodes) =>
  nodes.flatMap((node) => (node.kind === "Pod" ? [node] : podsIn(node.children)));

function drawList(rollouts) {
  at("none").hidden = rollouts.length > 0;
  at("rollouts").replaceChildren(
    ...rollouts.map(({ id, object, state: now, counts, progress }) =>
      element(
        "li",
        {},
        element(
          "button",
          { type: "button", "aria-current": String(id === state.id), onclick: () => open(id) },
          element("strong", {}, `${object.word}/${object.name}`),
          ` ${object.namespace} `,
          element("br"),
          element("span", { class: `state state-${now}` }, now),
          ` ${counts.available}/${counts.desired} available, ${counts.updated} updated`,
          element("progress", {
            max: String(Math.max(1, progress.total)),
            value: String(progress.done),
            "aria-label": `${progress.done} of ${progress.total} updated`,
          }),
        ),
      ),
    ),
  );
  if (state.id === undefined && rollouts.length > 0) void open(rollouts[0].id);
}

async function open(id) {
  state.id = id;
  state.moment = null;
  state.view = null;
  state.frames = [];
  history.replaceState(null, "", `#${token}!${id}`);
  void follow();
  const frames = await ask(`frames?rollout=${encodeURIComponent(id)}`).catch(() => []);
  state.frames = [...frames, ...state.frames];
  schedule();
}

function drawRollout() {
  const { view } = state;
  at("choose").hidden = view !== null;
  at("rollout").hidden = view === null;
  if (view === null) return;
  const { object, reason, counts, budget } = view;
  at("name").textContent = `${object.kind} ${object.namespace}/${object.name}`;
  at("state").replaceChildren(
    element("span", { class: `state state-${view.state}` }, view.state),
    ` ${view.changes === "" ? "" : `: ${view.changes}`}`,
  );
  at("reason").textContent = reason.message;
  const gauge =
    budget &&
    `unavailable ${budget.unavailable.used}/${budget.unavailable.allowed}, surge ${budget.surge.used}/${budget.surge.allowed}`;
  at("numbers").textContent = [
    `${counts.available}/${counts.desired} ${counts.unit}s available, ${counts.updated} updated`,
    gauge,
    view.strategy,
  ]
    .filter(Boolean)
    .join("; ");
  drawWhy(view.why);
  drawActions(view);
  drawPast();
  at("events").replaceChildren(
    ...view.events
      .toReversed()
      .slice(0, 30)
      .map((event) =>
        element(
          "li",
          {},
          element("small", {}, `${event.lastSeen} `),
          `${event.reason}: ${event.message}`,
        ),
      ),
  );
}

function drawWhy(why) {
  const rows = [
    ["doing", why.doing],
    ...why.waitsFor.map(({ name, cause }) => [
      "waits for",
      cause === undefined ? name : `${name}: ${cause}`,
    ]),
    ["rule", `${why.rule.number} ${why.rule.title}: ${why.rule.sentence}`],
    ["freed by", why.freedBy],
    ...why.commands.map(({ command, does }) => ["type", `${command}   (${does})`]),
  ].filter(([, text]) => text !== undefined && text !== "");
  at("why").replaceChildren(
    ...rows.flatMap(([term, text]) => [
      element("dt", {}, term),
      term === "type" ? element("dd", {}, element("code", {}, text)) : element("dd", {}, text),
    ]),
  );
}

const actions = [
  { verb: "pause", title: "Pause", isShown: (view) => !view.isPaused },
  { verb: "resume", title: "Resume", isShown: (view) => view.isPaused },
  { verb: "undo", title: "Undo", isShown: () => true },
  { verb: "promote", title: "Promote", isShown: () => true },
  { verb: "restart", title: "Restart", isShown: () => true },
];

function drawActions(view) {
  const { allowsActions, canPlan } = state.features;
  at("change").hidden = !canPlan && !allowsActions;
  at("set-image").hidden = !allowsActions;
  at("plan").hidden = !canPlan;
  const shown = allowsActions ? actions.filter(({ isShown }) => isShown(view)) : [];
  const verbs = shown.map(({ verb }) => verb).join();
  // A button that somebody is about to press must not be made anew.
  if (at("actions").dataset.verbs === verbs) return;
  at("actions").dataset.verbs = verbs;
  const name = `${view.object.word}/${view.object.name}`;
  at("actions").replaceChildren(
    ...shown.map(({ verb, title }) =>
      element("button", { type: "button", onclick: () => act(verb, `${title} ${name}?`) }, title),
    ),
  );
}

async function confirmed(question) {
  at("question").textContent = question;
  const dialog = at("confirm");
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

async function act(verb, question, more = {}) {
  if (!(await confirmed(question))) return;
  await say(async () => {
    const { message, takeBack } = await ask("act", { rollout: state.id, verb, ...more });
    return takeBack === undefined ? message : `${message}; to take it back: ${takeBack}`;
  });
}

async function say(work) {
  try {
    at("said").textContent = await work();
  } catch (error) {
    at("said").textContent = `refused: ${error.message}`;
  }
}

const crash = (name) =>
  breakIt(`Crash ${name}?`, { verb: "crashPod", namespace: state.view.object.namespace, name });

async function breakIt(question, body) {
  if (!(await confirmed(question))) return;
  await say(async () => (await ask("break", body)).message);
}

function drawPast() {
  const { frames, moment } = state;
  const index = moment ?? frames.length - 1;
  const frame = frames[index];
  const scrub = at("scrub");
  scrub.max = String(Math.max(0, frames.length - 1));
  if (moment === null) scrub.value = scrub.max;
  scrub.setAttribute("aria-valuetext", frame === undefined ? "nothing yet" : frame.at);
  at("moment").textContent =
    moment === null || frame === undefined ? "now" : `at ${frame.at}: ${frame.reason}`;
  if (frame !== undefined)
    drawGrid(frame.cells, moment === null && state.features.canBreak ? crash : undefined);
  drawCurve(frames, index);
}

function drawNodes(nodes) {
  at("cluster").hidden = false;
  at("nodes").replaceChildren(
    ...nodes.map(({ name, isReady, isCordoned, gpus, gpusTaken, pods }) =>
      element(
        "li",
        {},
        element("strong", {}, name),
        ` ${isReady ? "" : "lost, "}${isCordoned ? "cordoned, " : ""}${pods} pods, ${gpusTaken}/${gpus} GPUs `,
        ...(state.features.canBreak
          ? [
              element(
                "button",
                {
                  type: "button",
                  onclick: () =>
                    breakIt(`${isCordoned ? "Uncordon" : "Cordon"} ${name}?`, {
                      verb: isCordoned ? "uncordon" : "cordon",
                      node: name,
                    }),
                },
                isCordoned ? "uncordon" : "cordon",
              ),
              " ",
              element(
                "button",
                {
                  type: "button",
                  onclick: () =>
                    breakIt(`${isReady ? "Lose" : "Recover"} ${name}?`, {
                      verb: isReady ? "loseNode" : "recoverNode",
                      node: name,
                    }),
                },
                isReady ? "lose" : "recover",
              ),
            ]
          : []),
      ),
    ),
  );
}

const images = () => [
  { container: at("container").value.trim() || "*", image: at("image").value.trim() },
];

at("scrub").addEventListener("input", () => {
  state.moment = Number(at("scrub").value);
  drawPast();
});
at("live").addEventListener("click", () => {
  state.moment = null;
  drawPast();
});
at("image-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const [{ container, image }] = images();
  if (image !== "") void act("setImage", `Set ${container} to ${image}?`, { images: images() });
});
at("plan").addEventListener(
  "click",
  () =>
    void say(async () => {
      at("said").textContent = "playing it in a copy of the cluster";
      const { text, verdict } = await ask("plan", { rollout: state.id, images: images() });
      at("planned").hidden = false;
      at("planned").textContent = text;
      return `planned: ${verdict}`;
    }),
);
at("home").addEventListener("click", (event) => event.preventDefault());

async function begin() {
  if (token === "") {
    at("connection").textContent =
      "not connected: open the address that lockstep printed, with its token";
    return;
  }
  state.features = await ask("features").catch((error) => {
    at("connection").textContent = `not connected: ${error.message}`;
    return {};
  });
  if (state.id === undefined) void follow();
  else void open(state.id);
}
void begin();
