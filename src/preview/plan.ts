/** The answer of a preview: a documented contract, see docs/plan.md. */
export interface PlannedWrite {
  readonly verb: "create" | "delete" | "update" | "patch";
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface PlannedStep {
  readonly atSeconds: number;
  readonly writes: readonly PlannedWrite[];
  readonly reason: string;
}

export interface PlannedComponent {
  readonly name: string;
  readonly desired: number;
  readonly lowestAvailable: number;
  readonly promisedAvailable: number;
  readonly peakSurge: number;
  /** Of a Placement: clusters that are selected before and after the change. */
  readonly keptClusters?: number;
}

export interface PlanWarning {
  readonly code:
    | "CannotFinish"
    | "SurgeDoesNotFit"
    | "GangDoesNotFit"
    | "NoBudget"
    | "QuotaExceeded"
    | "ImageFails"
    | "MixedVersions"
    | "SettingWithoutEffect"
    | "SpecRejected"
    | "DisruptionBudget"
    | "DeadlineExceeded"
    | "RolledBack"
    | "ClustersVanish"
    | "NothingChanges";
  readonly message: string;
}

export type Verdict = "completes" | "stalls" | "rests" | "nothing";

export interface Plan {
  readonly apiVersion: "lockstep.dev/plan/v1";
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly verdict: Verdict;
  readonly durationSeconds: number;
  readonly steps: readonly PlannedStep[];
  readonly components: readonly PlannedComponent[];
  readonly peakExtra: Readonly<Record<string, number>>;
  readonly warnings: readonly PlanWarning[];
}

export interface FieldChange {
  /** `template.cliques.frontend.spec.podSpec.containers.server.image`. */
  readonly path: string;
  /** Absent where there was none. */
  readonly before?: string;
  /** Absent where there is none any more. */
  readonly after?: string;
}

/** What a drawing needs beyond the contract. */
export interface PlanDetails {
  /** What differs between the two revisions, in words. */
  readonly changes: string;
  /** The same field by field. */
  readonly fields: readonly FieldChange[];
  /** How it ends: the last sentence of the object about itself. */
  readonly ending: string;
  readonly longestWaitSeconds: number;
  readonly durations: string;
  /** Available units by component, whenever they change. */
  readonly curves: Readonly<
    Record<string, readonly { readonly atSeconds: number; readonly available: number }[]>
  >;
}
