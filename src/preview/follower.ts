/** What is followed through a preview: the objects that serve, and what the plan says about them. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import type { PlannedComponent } from "./plan.ts";
import type { RecordedWrite } from "./recorder.ts";

export interface CurvePoint {
  readonly atMs: number;
  readonly available: number;
}

export type SeenChange = "ADDED" | "MODIFIED" | "DELETED";

export interface Follower {
  /** Of these objects; writes of them are recorded by the follower itself. */
  readonly resource: Resource;
  /** Two versions served the same requests at some moment. */
  readonly hasMixedVersions: boolean;
  /** Units beyond what is desired are there and do not serve yet. */
  readonly isSurgeWaiting: boolean;
  /** When something last came, went or changed its readiness. */
  readonly lastChangeMs: number;
  /** What came before does not count. */
  begin(atMs: number): void;
  see(type: SeenChange, object: KubeObject, atMs: number): void;
  /** After everything of one moment was seen. */
  look(): void;
  /** Forgets which objects came and went so far and returns it. */
  take(): readonly RecordedWrite[];
  components(): readonly PlannedComponent[];
  curves(): ReadonlyMap<string, readonly CurvePoint[]>;
  /** Devices beyond what the workload had before, at the worst moment. */
  peakExtra(): Readonly<Record<string, number>>;
}
