/** PodGang: what the scheduler places all at once or not at all. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { podGangSpec, podGangStatus } from "./schema/podgang.ts";

export const podGangResource: Resource = {
  group: "scheduler.grove.io",
  version: "v1alpha1",
  plural: "podgangs",
  kind: "PodGang",
  namespaced: true,
};

export type PodGangSpec = DeepReadonly<z.input<typeof podGangSpec>>;
export type PodGangStatus = DeepReadonly<z.input<typeof podGangStatus>>;
export type PodGroup = PodGangSpec["podgroups"][number];

export interface PodGang extends KubeObject {
  readonly spec: PodGangSpec;
  readonly status?: PodGangStatus;
}
