/** Notices another controller at work on a set: a status that changed, and that we would not have written. */
import type { StatefulSet, StatefulSetStatus } from "../../api/apps.ts";
import type { OwnerMemory, PerOwner } from "../engine/per-owner.ts";

/** How long a competing controller has to be silent before we take the set up again. */
const standBackMs = 300_000;
/** The last writes of the leader before us may reach our view this long after we took over. */
export const lateWritesMs = 15_000;
/** Writes whose answers were lost may turn up late, but not after so many different statuses. */
const keptStatuses = 100;

interface Known {
  /** What the status said when we last found it right. */
  accepted: string;
  /** What we have computed since, written or not. */
  computed: readonly string[];
  /** Before this, an unknown status is our predecessor's. */
  readonly watchFromMs: number;
  silentUntilMs: number;
}

export class CompetingControllers {
  readonly #known: PerOwner<{ known?: Known }>;

  constructor(memory: OwnerMemory) {
    this.#known = memory.perOwner<{ known?: Known }>(() => ({}));
  }

  /** We would write this status, so finding it proves nothing. */
  computed(set: StatefulSet, status: StatefulSetStatus): void {
    const { known } = this.#known.of(set);
    const text = textOf(status);
    if (known === undefined || known.computed[0] === text) return;
    const others = known.computed.filter((other) => other !== text);
    known.computed = [text, ...others].slice(0, keptStatuses);
  }

  /** How long to leave the set alone; undefined where nobody else is at work. */
  standBackFor(set: StatefulSet, nowMs: number): number | undefined {
    const text = textOf(set.status);
    const memory = this.#known.of(set);
    // What was there before us, an earlier controller may have written: a set may change hands.
    memory.known ??= {
      accepted: text,
      computed: [],
      watchFromMs: nowMs + lateWritesMs,
      silentUntilMs: 0,
    };
    const { known } = memory;
    const isForeign = text !== known.accepted && !known.computed.includes(text);
    if (isForeign && nowMs >= known.watchFromMs) known.silentUntilMs = nowMs + standBackMs;
    known.accepted = text;
    return known.silentUntilMs > nowMs ? known.silentUntilMs - nowMs : undefined;
  }
}

/** So often may our conditions be replaced before that is no coincidence. */
const tolerated = 3;

interface Conditions {
  /** What we wrote last, until others stand in its place. */
  written: string | undefined;
  replaced: number;
  silentUntilMs: number;
}

/**
 * In assist mode the cluster's own controller writes the counts, or a status without conditions, and nobody else any
 * conditions. Where somebody keeps replacing ours by others, a Lockstep in full mode is at work on the set as well, and
 * both would write without end.
 */
export class CompetingConditions {
  readonly #known: PerOwner<Conditions>;

  constructor(memory: OwnerMemory) {
    const unknown = { written: undefined, replaced: 0, silentUntilMs: 0 };
    this.#known = memory.perOwner<Conditions>(() => ({ ...unknown }));
  }

  written(set: StatefulSet, status: StatefulSetStatus): void {
    const text = conditionsText(status);
    if (text !== conditionsText(set.status)) this.#known.of(set).written = text;
  }

  /** How long to leave the set alone; undefined where nobody else writes conditions. */
  standBackFor(set: StatefulSet, nowMs: number): number | undefined {
    const known = this.#known.of(set);
    const text = conditionsText(set.status);
    // A reconcile sees its own last write, or what came after it.
    const isReplaced = known.written !== undefined && ![known.written, noConditions].includes(text);
    if (isReplaced) {
      known.written = undefined;
      known.replaced += 1;
      if (known.replaced > tolerated) known.silentUntilMs = nowMs + standBackMs;
    }
    return known.silentUntilMs > nowMs ? known.silentUntilMs - nowMs : undefined;
  }
}

/** The conditions of a rollout. Others of a set are not ours. */
const ours = new Set(["Available", "Progressing", "Reconciling", "Stalled"]);

const conditionsText = ({ conditions = [] }: Partial<StatefulSetStatus> = {}): string =>
  JSON.stringify(
    conditions
      .filter(({ type }) => ours.has(type))
      .map(({ type, status, reason, message }) => [type, status, reason, message]),
  );

const noConditions = conditionsText();

/** What only a controller writes; conditions may be anybody's, and servers leave zeros out. */
function textOf(status: Partial<StatefulSetStatus> = {}): string {
  return JSON.stringify([
    status.observedGeneration ?? 0,
    status.currentRevision ?? "",
    status.updateRevision ?? "",
    status.replicas ?? 0,
    status.readyReplicas ?? 0,
    status.availableReplicas ?? 0,
    status.currentReplicas ?? 0,
    status.updatedReplicas ?? 0,
  ]);
}
