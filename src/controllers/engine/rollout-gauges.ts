/** The gauges that every kind has: one record per object, read when somebody scrapes; they end with their object. */
import type { KubeObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { parseTime } from "../../api/time-text.ts";
import type { OperatorMetrics, Sample } from "../../runtime/metrics.ts";
import type { WithConditions } from "./conditions.ts";
import { conditionOf } from "./conditions.ts";
import type { OwnerMemory } from "./per-owner.ts";
import { rolloutConditionTypes } from "./rollout-conditions.ts";

/** What a kind says of one object; everything in it is in the status already. Units are what the kind replaces. */
export interface RolloutFigures {
  readonly desired: number;
  /** Up to `desired`, as the status counts them. */
  readonly available: number;
  readonly updated: number;
  /** Units above `desired` that stand in during an update. */
  readonly surge: number;
  readonly paused: boolean;
  /** Whether units of another revision than the target are left. */
  readonly isOutdated: boolean;
  /** Since when, where the status knows it. */
  readonly outdatedSince?: string | undefined;
}

type Labels = Readonly<Record<"kind" | "namespace" | "name", string>>;

interface Shown {
  readonly figures: RolloutFigures;
  readonly labels: Labels;
  readonly isUpdating: boolean;
  readonly isStalled: boolean;
  readonly reason: string;
  readonly outdatedSinceMs: number | undefined;
}

/** The figures of one status, and when it was computed. */
interface Seen {
  readonly figures: RolloutFigures;
  readonly nowMs: number;
}

/** The gauges of one kind's objects. */
export interface KindGauges {
  show(object: KubeObject, status: WithConditions, seen: Seen): void;
  /** A terminating object promises nothing any more. */
  end(object: KubeObject): void;
}

type Value = (shown: Shown) => number | undefined;

const values: Readonly<Record<string, readonly [help: string, value: Value]>> = {
  desired: ["Units that the spec asks for.", ({ figures }) => figures.desired],
  available: [
    "Units that are available, up to the desired number.",
    ({ figures }) => figures.available,
  ],
  updated: [
    "Units of the target revision, up to the desired number.",
    ({ figures }) => figures.updated,
  ],
  surge: ["Units above the desired number, during an update.", ({ figures }) => figures.surge],
  updating: [
    "1 while something moves or waits to move (condition Progressing).",
    ({ isUpdating }) => Number(isUpdating),
  ],
  stalled: [
    "1 while nothing moves and nothing will without help (condition Stalled).",
    ({ isStalled }) => Number(isStalled),
  ],
  paused: [
    "1 while a person holds the update.",
    // A set pauses parts that wait for their turn.
    ({ figures, reason }) => Number(figures.paused && reason !== "AwaitingTurn"),
  ],
  outdated_since_seconds: [
    "Since when units of an older revision are left, in Unix time; absent where none are.",
    ({ outdatedSinceMs }) => (outdatedSinceMs === undefined ? undefined : outdatedSinceMs / 1000),
  ],
};

/** Reasons are constants of the controllers; more of them than this would be a mistake that Prometheus pays for. */
const mostReasons = 64;

export class RolloutGauges {
  readonly #shown = new Set<{ latest?: Shown }>();
  readonly #reasons = new Set<string>();

  constructor(collected: OperatorMetrics["collected"]) {
    const labelNames = ["kind", "namespace", "name"];
    for (const [name, [help, value]] of Object.entries(values)) {
      const samples = (): Sample[] => this.#samples(value, ({ labels }) => labels);
      collected({ name: `lockstep_rollout_${name}`, help, labelNames }, samples);
    }
    collected(
      {
        name: "lockstep_rollout_reason",
        help: "Always 1; its label says why the rollout is where it is.",
        labelNames: [...labelNames, "reason"],
      },
      () =>
        this.#samples(
          () => 1,
          ({ labels, reason }) => ({ ...labels, reason }),
        ),
    );
  }

  /** What one controller uses. Showing and ending cost the same however many objects there are. */
  forKind({ kind }: Resource, memory: OwnerMemory): KindGauges {
    const slots = memory.perOwner<{ latest?: Shown }>(
      () => {
        const slot = {};
        this.#shown.add(slot);
        return slot;
      },
      (slot) => this.#shown.delete(slot),
    );
    return {
      show: (object, status, { figures, nowMs }) => {
        const slot = slots.of(object);
        const { namespace = "", name = "" } = object.metadata;
        const progressing = conditionOf(status, rolloutConditionTypes.progressing);
        const stalled = conditionOf(status, rolloutConditionTypes.stalled);
        const isStalled = stalled?.status === "True";
        slot.latest = {
          figures,
          labels: slot.latest?.labels ?? { kind, namespace, name },
          isUpdating: progressing?.status === "True",
          isStalled,
          reason: this.#bounded((isStalled ? stalled : progressing)?.reason ?? "Unknown"),
          outdatedSinceMs: outdatedSince(figures, slot.latest, nowMs),
        };
      },
      end: (object) => void delete slots.of(object).latest,
    };
  }

  #samples(value: Value, labels: (shown: Shown) => Readonly<Record<string, string>>): Sample[] {
    const samples: Sample[] = [];
    for (const { latest } of this.#shown) {
      const number = latest && value(latest);
      if (latest !== undefined && number !== undefined) {
        samples.push({ labels: labels(latest), value: number });
      }
    }
    return samples;
  }

  #bounded(reason: string): string {
    if (this.#reasons.size < mostReasons) this.#reasons.add(reason);
    return this.#reasons.has(reason) ? reason : "Other";
  }
}

/** The earliest moment that is known of: another target in mid-rollout does not make old units younger. */
function outdatedSince(
  { isOutdated, outdatedSince: reported }: RolloutFigures,
  before: Shown | undefined,
  nowMs: number,
): number | undefined {
  if (!isOutdated) return undefined;
  const sinceMs = (reported === undefined ? undefined : parseTime(reported)) ?? nowMs;
  return Math.min(sinceMs, before?.outdatedSinceMs ?? sinceMs);
}
