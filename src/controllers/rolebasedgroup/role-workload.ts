/** What a role is run by: how its workload is observed, and which writes bring it to what is planned. */
import type { PodTemplate } from "../../api/apps.ts";
import type { DefaultedRole } from "../../api/rbg/defaults.ts";
import type { RoleBasedGroup } from "../../api/rbg/rolebasedgroup.ts";
import type { Pod } from "../../api/pod.ts";
import type { Unit } from "../../planner/index.ts";
import type { PodState } from "../engine/pod-health.ts";
import type { WritePlan } from "../engine/write.ts";
import type { GroupReaders } from "./caches.ts";

/** Where a role belongs. */
export interface RolePlace {
  readonly group: RoleBasedGroup;
  readonly role: DefaultedRole;
  readonly nowMs: number;
}

/** A workload as the cluster has it. Revisions here are hashes of the role, as pods carry them in a label. */
export interface ObservedWorkload {
  /** The role was started: it has a workload, however few pods that has. */
  readonly exists: boolean;
  /** It is terminating; nothing can be done to it before it is gone. */
  readonly isTerminating: boolean;
  /** How many units it was asked to have. */
  readonly size: number;
  /** How many of its units may be there now, where the others wait for them; absent where none waits. */
  readonly openUnits?: number;
  /** What its pods are made from; absent where there is no object that says it. */
  readonly template?: PodTemplate;
  /** What its template was made from. */
  readonly templateRevision: string | undefined;
  /** Units at or above it move to the template's revision; undefined where the workload keeps a pace of its own. */
  readonly cursor: number | undefined;
  /** Ordinals below the cursor that move all the same. */
  readonly ahead: readonly number[];
  /** Whoever makes its pods knows a cursor only, and no unit that goes ahead of it. */
  readonly isTopDownOnly: boolean;
  /** Its controller has seen the template: before that, no cursor may move. */
  readonly isStatusCurrent: boolean;
  /** What the planner counts: pods, or leaders with their workers. */
  readonly units: readonly Unit[];
  /** All pods, each in the place of its unit. */
  readonly pods: readonly RolePod[];
  /** What keeps units from serving, each with its name, the gravest first. */
  readonly causes: readonly string[];
  /** What its owner should know and no status says; each is an event, once. */
  readonly warnings: readonly { readonly reason: string; readonly message: string }[];
  /** What only a person can give it, in words with the way out; it waits for nothing else. */
  readonly needs?: string;
  /** For a workload with a pace of its own: where its rollout stands, in words. */
  readonly ownRollout?: OwnRollout;
}

export interface OwnRollout {
  /** `begins` has another template yet, `late` is past a deadline of its own. */
  readonly stand: "begins" | "moving" | "paused" | "late" | "done";
  readonly message: string;
}

export interface RolePod extends PodState {
  readonly pod: Pod;
}

/** What a workload is to be. */
export interface DesiredWorkload {
  /** Of the role, and its pods. */
  readonly revision: string;
  /** Units at or above it are of that revision. */
  readonly cursor: number;
  /** Units below the cursor that are of that revision all the same. */
  readonly ahead: readonly number[];
  readonly maxUnavailable: number;
  /** The value of the label that routers pair pods by, for new pods of that revision. */
  readonly pairedBy: string;
  /** Where roles are scaled together: how many units it is to have now, for a workload that has no field for it. */
  readonly scaledTo?: number;
  /** The pod template of a revision of this role; undefined where nothing recorded it. */
  templateOf(revision: string): PodTemplate | undefined;
}

export interface RoleWorkload {
  observe(readers: GroupReaders, place: RolePlace): ObservedWorkload;
  /** None where everything is as desired. A role that was not started yet is created with all that belongs to it. */
  writes(
    place: RolePlace,
    observed: ObservedWorkload,
    desired: DesiredWorkload,
  ): readonly WritePlan[];
}

export const nothingThere: ObservedWorkload = {
  exists: false,
  isTerminating: false,
  size: 0,
  templateRevision: undefined,
  cursor: undefined,
  ahead: [],
  isTopDownOnly: false,
  isStatusCurrent: false,
  units: [],
  pods: [],
  causes: [],
  warnings: [],
};
