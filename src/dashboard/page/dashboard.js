/** The page: follows the server by one stream and draws what it hears, at most once per frame. */
import { breakIt, drawActions, forgetSaid } from "./actions.js";
import { addressOf, ask, at, hearTyping, opened } from "./connection.js";
import { drawGrid } from "./grid.js";
import { drawImageForm } from "./image.js";
import { listenToKeys } from "./keyboard.js";
import {
  drawList,
  firstId,
  hasRollouts,
  hearHidden,
  hearList,
  hearListed,
  isListed,
  neighbour,
} from "./list.js";
import { askToSignIn, drawUser } from "./login.js";
import { drawNodes, drawSamples, placeSamples } from "./nodes.js";
import { Past } from "./past.js";
import { drawMoving } from "./placement.js";
import { drawRevisions } from "./revisions.js";
import { drawSkew } from "./skew.js";
import { connected, follow, notConnected } from "./stream.js";
import { drawSummary } from "./summary.js";
import { drawCurves, drawLanes, gutterOf } from "./timeline.js";

const state = { id: opened, view: null, past: new Past(), moment: null, features: {}, nowMs: 0 };

function hear(event, data) {
  if (event === "list") hearList(data, open);
  if (event === "listed") hearListed(data);
  if (state.id === undefined && hasRollouts()) open(firstId());
  if (isListed(started)) openStarted();
  if (event === "hidden") hearHidden(data);
  if (event === "nodes") drawNodes(data, state.features.canBreak);
  if (event === "past") {
    state.past = new Past(data);
    isPastDrawn = false;
  }
  if (event === "frame") addFrame(data);
  if (event === "rollout") {
    state.view = data;
    connected();
  }
  if (event === "problem") notConnected(data);
  if (event === "now") state.nowMs = data;
  schedule();
}

/** Who starts something wants to see it, as soon as the server has heard of it. */
let started;
async function startSample(name) {
  const answer = await breakIt({ verb: "start", name });
  started = answer?.opens;
  if (isListed(started)) openStarted();
}

function openStarted() {
  const id = started;
  started = undefined;
  if (id !== state.id) open(id);
}

/** What is long ago is kept in less detail: somebody who looks at it stays where they are. */
function addFrame(frame) {
  const { past, moment } = state;
  const ms = past.times[moment];
  past.add(frame);
  if (moment !== null) state.moment = past.indexOf(ms);
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
/** What nobody sees is not drawn; what is of another rollout must not stay all the same. */
let isPastSeen = true;
let isPastDrawn = false;
new IntersectionObserver(
  ([seen]) => {
    isPastSeen = seen.isIntersecting;
    if (isPastSeen) schedulePast();
  },
  { rootMargin: "200px" },
).observe(at("past-panel"));
function schedulePast() {
  if (isPastScheduled) return;
  isPastScheduled = true;
  const wait = Math.max(0, betweenDrawingsMs - (performance.now() - pastDrawnAt));
  setTimeout(() => {
    requestAnimationFrame(() => {
      isPastScheduled = false;
      pastDrawnAt = performance.now();
      if (state.view === null || (isPastDrawn && !isPastSeen)) return;
      isPastDrawn = true;
      drawPast();
    });
  }, wait);
}

function draw() {
  const { view, id, features } = state;
  drawList(id);
  const isEmpty = view === null && !hasRollouts();
  at("none").hidden = !isEmpty;
  at("layout").classList.toggle("is-empty", isEmpty);
  placeSamples(isEmpty);
  at("rollout").hidden = view === null;
  if (view === null) return;
  const nowMs = Math.max(view.nowMs, state.nowMs);
  drawSummary(view, nowMs);
  const mayAct = drawActions(view, features.allowsActions);
  drawImageForm(id, view.images, { ...features, mayAct });
  drawRevisions(id, view, { mayAct, nowMs });
  drawMoment();
  schedulePast();
}

const chosen = () => state.moment ?? Math.max(0, state.past.frames.length - 1);

/** The slider is as fine as this, and stands below what it points at. */
const scrubSteps = 100_000;

const podWords = { target: "serve, target revision", earlier: "serve, earlier revision" };
const clusterWords = { target: "listed", surge: "listed twice on the way (surge)" };

/** States in which a pod that is away comes back. */
const unrest = new Set(["Progressing", "Paused", "Stalled"]);

/** The cells of now, or of the moment that somebody went back to. */
function drawMoment() {
  const { past, moment, view, features } = state;
  const index = chosen();
  const frame = past.frames[index];
  const scrub = at("scrub");
  past.nowMs = Math.max(state.nowMs, view.nowMs);
  scrub.value = String(moment === null ? scrubSteps : Math.round(past.share(index) * scrubSteps));
  scrub.setAttribute("aria-valuetext", frame === undefined ? "nothing yet" : frame.at);
  at("moment").textContent =
    moment === null || frame === undefined
      ? "now"
      : `at ${frame.at}: ${frame.state}: ${frame.reason}`;
  at("rollout").classList.toggle("is-past", moment !== null);
  const isPlacement = view.object.kind === "Placement";
  // Clusters are not replaced, they move, which the lanes show.
  at("replaced-list").hidden = isPlacement;
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
  const isMoving = unrest.has(frame?.state ?? view.state);
  drawGrid(state.id, cells, { pick, hint: canCrash ? "click crashes it" : "", serves, isMoving });
  drawMoving(isPlacement ? cells : new Map());
}

function drawPast() {
  const { past, view } = state;
  const moment = { index: chosen(), isLive: state.moment === null };
  past.nowMs = Math.max(state.nowMs, view.nowMs);
  const gutter = gutterOf(at("lanes").clientWidth);
  at("past-panel").style.setProperty("--gutter", `${gutter}px`);
  at("past-panel").classList.toggle("is-narrow", gutter === 0);
  drawCurves(past, moment);
  drawSkew(past, moment, view.coordinations ?? []);
  drawLanes(past, moment, view.object.name);
}

function open(id) {
  if (id === undefined) return;
  if (id !== state.id) forgetSaid();
  Object.assign(state, { id, moment: null, view: null, past: new Past() });
  drawList(id);
  window.scrollTo(0, 0);
  history.replaceState(null, "", addressOf(id));
  void follow(id, hear, signInAgain);
}

function goTo(moment) {
  const last = state.past.frames.length - 1;
  state.moment = moment >= last ? null : Math.max(0, moment);
  if (state.view === null) return;
  drawMoment();
  drawPast();
}

at("scrub").max = String(scrubSteps);
at("scrub").addEventListener("input", () => {
  const share = Number(at("scrub").value) / scrubSteps;
  goTo(share === 1 ? Number.POSITIVE_INFINITY : state.past.indexAt(share));
});
at("scrub").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  goTo(chosen() + step);
});
const live = () => goTo(Number.POSITIVE_INFINITY);
at("live").addEventListener("click", live);
window.addEventListener("resize", schedulePast);
listenToKeys({ open, neighbour, live, scrub: (step) => goTo(chosen() + step) });

const signInAgain = () => askToSignIn(begin);

async function begin() {
  try {
    state.features = await ask("features");
  } catch (error) {
    if (error.login) return signInAgain();
    return notConnected(error.message);
  }
  hearTyping(state.features);
  drawUser(state.features.user);
  drawSamples(state.features.samples ?? [], startSample);
  if (state.id === undefined) void follow(undefined, hear, signInAgain);
  else open(state.id);
}
void begin();
