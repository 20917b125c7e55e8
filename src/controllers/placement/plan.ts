/** Decides which clusters a Placement selects and which writes come next, from one view of the world. */
import type { PlacementDecision } from "../../api/ocm/placement.ts";
import { decisionSelector, placementDecisionResource } from "../../api/ocm/placement.ts";
import type { DecisionWrite, PlacementPlan, Schedule, WritePhase } from "../../planner/index.ts";
import { planPlacement } from "../../planner/index.ts";
import type { Planned } from "../engine/reconcile.ts";
import type { LiveRead, WritePlan } from "../engine/write.ts";
import { factsOf } from "./cluster-facts.ts";
import { decisionWrite, isLabelledFor, isOurs, observedDecision } from "./decision-objects.ts";
import type { WriteContext } from "./decision-objects.ts";
import { Misconfigured } from "./misconfigured.ts";
import type { Observed } from "./observe.ts";
import type { ParsedPlacement } from "./parse-placement.ts";
import { scheduleOf } from "./schedule.ts";

/** What one reconcile does of a plan; the next begins once the caches show it. */
export type Stage = "adopt" | WritePhase["phase"] | "none";

export interface DecisionPlan extends Planned {
  readonly stage: Stage;
  readonly decided: PlacementPlan;
  /** Undefined where the selection failed; the plan then keeps what is there. */
  readonly schedule: Schedule | undefined;
  /** The mistake of a user that the selection failed with. */
  readonly misconfigured: string | undefined;
  /** AddOnPlacementScores that have expired and would have counted. */
  readonly expiredScores: readonly string[];
}

export function plan(observed: Observed): DecisionPlan {
  const { parsed } = observed;
  const { schedule, misconfigured } = selectionOf(observed);
  const decided = decide(observed, { schedule, misconfigured });
  const { stage, phases } = stageOf(observed, decided);
  const isRanked = parsed.kind === "valid" && schedule?.ranking !== undefined;
  const scores = isRanked ? usedScores(observed, parsed) : noScores;
  return {
    stage,
    decided,
    schedule,
    misconfigured,
    expiredScores: scores.expired,
    phases,
    // What a stage writes comes back by the watch and begins the next one.
    requeueAfterMs: untilChangeMs(observed, schedule, scores),
  };
}

type Selection = Pick<DecisionPlan, "schedule" | "misconfigured">;

function selectionOf(observed: Observed): Selection {
  const { parsed, setProblem } = observed;
  const none = { schedule: undefined, misconfigured: undefined };
  if (parsed.kind === "misconfigured") return { ...none, misconfigured: parsed.problem };
  if (setProblem !== undefined) return none;
  try {
    return { ...none, schedule: scheduleOf(observed, parsed) };
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error;
    return { ...none, misconfigured: error.message };
  }
}

function decide(
  { placement, parsed, setProblem, decisions }: Observed,
  { schedule, misconfigured }: Selection,
): PlacementPlan {
  const problem = misconfigured ?? setProblem;
  return planPlacement(
    {
      placement: placement.metadata.name ?? "",
      observed: decisions.map((decision) => observedDecision(placement, decision)),
      selection:
        schedule === undefined
          ? { kind: "failed", problem: problem ?? "" }
          : { kind: "selected", groups: schedule.groups },
    },
    { strategy: parsed.kind === "valid" ? parsed.strategy : "All" },
  );
}

/** Time alone ends tolerations and scores. */
function untilChangeMs(
  { nowMs }: Observed,
  schedule: Schedule | undefined,
  scores: UsedScores,
): number | undefined {
  const changesAtMs = Math.min(schedule?.changesAtMs ?? Infinity, scores.changesAtMs);
  return Number.isFinite(changesAtMs) ? Math.max(0, changesAtMs - nowMs) : undefined;
}

interface UsedScores {
  readonly expired: readonly string[];
  readonly changesAtMs: number;
}

const noScores: UsedScores = { expired: [], changesAtMs: Infinity };

/** Which scores have expired, and when the next will. */
function usedScores(observed: Observed, { addOnScores }: ParsedPlacement): UsedScores {
  const { clusters, scoresOf, nowMs } = observed;
  const resources = [...new Set(addOnScores.map(({ resourceName }) => resourceName))];
  const expired: string[] = [];
  let changesAtMs = Infinity;
  for (const cluster of resources.length === 0 ? [] : clusters) {
    const { name } = factsOf(cluster);
    for (const resource of resources) {
      const untilMs = scoresOf(name, resource)?.untilMs;
      if (untilMs === undefined) continue;
      if (untilMs <= nowMs) expired.push(`${name}/${resource}`);
      else changesAtMs = Math.min(changesAtMs, untilMs);
    }
  }
  return { expired: expired.toSorted(), changesAtMs };
}

/**
 * One stage per reconcile: every write carries the version that the cache shows, and a decision that is written
 * twice has another one in between. The next stage is planned anew from what the server then holds, as after a crash.
 */
function stageOf(
  observed: Observed,
  decided: PlacementPlan,
): { readonly stage: Stage; readonly phases: readonly WritePlan[] } {
  if (decided.kind !== "write") return { stage: "none", phases: [] };
  const writes = writesFor(observed, decided.phases);
  const adopts = decided.phases.flatMap((phase) => phase.writes.filter(isAdoption));
  if (adopts.length > 0) return { stage: "adopt", phases: writes(adopts) };
  const [first, ...others] = decided.phases;
  const stage = first?.phase ?? "none";
  switch (stage) {
    case "surge":
      return { stage, phases: writes(first?.writes ?? []) };
    case "relabel":
      return { stage, phases: writes(untilRepeated(first?.writes ?? [])) };
    case "update":
      return { stage, phases: decided.phases.flatMap((phase) => writes(phase.writes)) };
    case "finalize":
    case "delete":
    case "none": {
      const shrinking = [first, ...others].flatMap((phase) => writes(phase?.writes ?? []));
      return { stage, phases: [decisionsAreAsSeen(observed), ...shrinking] };
    }
  }
}

/** A decision that steps aside is relabelled twice, and the second time it has another version. */
function untilRepeated(writes: readonly DecisionWrite[]): readonly DecisionWrite[] {
  const names = writes.map(({ name }) => name);
  const repeated = names.findIndex((name, at) => names.indexOf(name) < at);
  return repeated < 0 ? writes : writes.slice(0, repeated);
}

const isAdoption = ({ kind }: DecisionWrite): boolean => kind === "adopt";

function writesFor(
  { placement, decisions }: Observed,
  phases: readonly WritePhase[],
): (wanted: readonly DecisionWrite[]) => readonly WritePlan[] {
  const lists = new Map(
    phases
      .filter(({ phase }) => phase === "surge" || phase === "update")
      .flatMap(({ writes }) => writes)
      .flatMap((write) => (write.kind === "list" ? [[write.name, write.clusters] as const] : [])),
  );
  const context: WriteContext = {
    decisions: new Map(decisions.map((each) => [each.metadata.name ?? "", each])),
    listAfterCreate: (name) => lists.get(name) ?? [],
  };
  return (wanted) => wanted.flatMap((write) => decisionWrite(placement, write, context) ?? []);
}

/**
 * Before anything shrinks the server itself must hold what the cache shows: a decision that was skipped because it
 * lists a cluster already carries no precondition of its own. One that has lost our label is left out on both sides:
 * nobody who goes by the label sees it, and its delete has preconditions.
 */
function decisionsAreAsSeen({ placement, decisions }: Observed): LiveRead {
  const { namespace, name = "" } = placement.metadata;
  return {
    question: `are the decisions of ${name} as they were seen`,
    async read(live) {
      const labelSelector = decisionSelector(name);
      const { items } = await live.list<PlacementDecision>(placementDecisionResource, {
        ...(namespace === undefined ? {} : { namespace }),
        labelSelector,
      });
      const found = items.filter((decision) => isOurs(placement, decision)).map(versionOf);
      const labelled = decisions.filter((each) => isLabelledFor(placement, each));
      const seen = new Set(labelled.map(versionOf));
      return { isOpen: found.length === seen.size && found.every((each) => seen.has(each)) };
    },
  };
}

const versionOf = ({ metadata }: PlacementDecision): string =>
  `${metadata.name}/${metadata.uid}/${metadata.resourceVersion}`;
