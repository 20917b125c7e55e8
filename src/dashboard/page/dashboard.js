/** The page: follows the server by one stream and draws what it hears, at most once per frame. */
import { drawActions, breakIt } from "./actions.js";
import { ask, at, opened, token } from "./connection.js";
import { drawGrid } from "./grid.js";
import { drawImageForm } from "./image.js";
import { listenToKeys } from "./keyboard.js";
import { drawList, firstId, hasRollouts, hearList, neighbour } from "./list.js";
import { drawNodes, drawSamples } from "./nodes.js";
import { Past } from "./past.js";
import { drawMoving } from "./placement.js";
import { drawRevisions } from "./revisions.js";
import { drawSkew } from "./skew.js";
import { follow, notConnected } from "./stream.js";
import { drawSummary } from "./summary.js";
import { drawCurves, drawLanes } from "./timeline.js";

const state = { id: opened, view: null, past: new Past(), moment: null, features: {}, nowMs: 0 };

function hear(event, data) {
  if (event === "list") {
    hearList(data, open);
    if (state.id === undefined && data.length > 0) open(firstId());
  }
  if (event === "nodes") drawNodes(data, state.features.canBreak);
  if (event === "past") state.past = new Past(data);
  if (event === "frame") state.past.add(data);
  if (event === "rollout") state.view = data;
  if (event === "problem") notConnected(data);
  if (event === "now") state.nowMs = data;
  schedule();
}

let isScheduled = false;
function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    draw();
  });
}

/** Drawings of the whole past cost more than a cell: they follow a few times a second. */
const betweenDrawingsMs = 400;
let pastDrawnAt = 0;
let isPastScheduled = false;
/** What nobody sees is not drawn. */
let isPastSeen = true;
new IntersectionObserver(
  ([seen]) => {
    isPastSeen = seen.isIntersecting;
    if (isPastSeen) schedulePast();
  },
  { rootMargin: "200px" },
).observe(at("past-title").parentElement);
function schedulePast() {
  if (isPastScheduled) return;
  isPastScheduled = true;
  const wait = Math.max(0, betweenDrawingsMs - (performance.now() - pastDrawnAt));
  setTimeout(() => {
    requestAnimationFrame(() => {
      isPastScheduled = false;
      pastDrawnAt = performance.now();
      if (state.view !== null && isPastSeen) drawPast();
    });
  }, wait);
}

function draw() {
  const { view, id, features } = state;
  drawList(id);
  at("none").hidden = view !== null || hasRollouts();
  at("rollout").hidden = view === null;
  if (view === null) return;
  const nowMs = Math.max(view.nowMs, state.nowMs);
  drawSummary(view, nowMs);
  const mayAct = drawActions(view, features.allowsActions);
  const hasImages = view.object.kind !== "Placement";
  drawImageForm(id, features, { mayAct, hasImages });
  drawRevisions(id, view, { mayAct, nowMs });
  drawMoment();
  schedulePast();
}

const chosen = () => state.moment ?? Math.max(0, state.past.frames.length - 1);

const podWords = { target: "serve, target revision", earlier: "serve, earlier revision" };
const clusterWords = { target: "listed", surge: "listed twice on the way (surge)" };

/** The cells of now, or of the moment that somebody went back to. */
function drawMoment() {
  const { past, moment, view, features } = state;
  const index = chosen();
  const frame = past.frames[index];
  const scrub = at("scrub");
  scrub.max = String(Math.max(0, past.frames.length - 1));
  if (moment === null) scrub.value = scrub.max;
  scrub.setAttribute("aria-valuetext", frame === undefined ? "nothing yet" : frame.at);
  at("moment").textContent =
    moment === null || frame === undefined
      ? "now"
      : `at ${frame.at}: ${frame.state}: ${frame.reason}`;
  at("rollout").classList.toggle("is-past", moment !== null);
  const isPlacement = view.object.kind === "Placement";
  at("lanes-title").textContent = isPlacement
    ? "Which decision listed which cluster when"
    : "Who was replaced when";
  at("pods-title").textContent = isPlacement ? "Clusters by PlacementDecision" : "Pods";
  const canCrash = moment === null && features.canBreak === true && !isPlacement;
  const pick = canCrash
    ? ({ name }) => void breakIt({ verb: "crashPod", namespace: view.object.namespace, name })
    : () => undefined;
  const cells = past.cellsAt(index);
  const serves = isPlacement ? clusterWords : podWords;
  drawGrid(state.id, cells, { pick, hint: canCrash ? "click crashes it" : "", serves });
  drawMoving(isPlacement ? cells : new Map());
}

function drawPast() {
  const index = chosen();
  state.past.nowMs = Math.max(state.nowMs, state.view.nowMs);
  drawCurves(state.past, index);
  drawSkew(state.past, index, state.view.coordinations ?? []);
  drawLanes(state.past, index);
}

function open(id) {
  if (id === undefined) return;
  Object.assign(state, { id, moment: null, view: null, past: new Past() });
  window.scrollTo(0, 0);
  history.replaceState(null, "", `#${token}!${id}`);
  void follow(id, hear);
}

function goTo(moment) {
  const last = state.past.frames.length - 1;
  state.moment = moment >= last ? null : Math.max(0, moment);
  at("scrub").value = String(chosen());
  if (state.view === null) return;
  drawMoment();
  drawPast();
}

at("scrub").addEventListener("input", () => {
  state.moment = Number(at("scrub").value);
  drawMoment();
  drawPast();
});
const live = () => goTo(Number.POSITIVE_INFINITY);
at("live").addEventListener("click", live);
window.addEventListener("resize", schedulePast);
listenToKeys({ open, neighbour, live, scrub: (step) => goTo(chosen() + step) });

async function begin() {
  if (token === "") return notConnected("open the address that lockstep printed, with its token");
  state.features = await ask("features").catch((error) => {
    notConnected(error.message);
    return {};
  });
  drawSamples(state.features.samples ?? []);
  if (state.id === undefined) void follow(undefined, hear);
  else open(state.id);
}
void begin();
