/** PodClique: the pods of one role in one replica. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import type { podCliqueSpec, podCliqueStatus } from "./schema/podclique.ts";

export const podCliqueResource: Resource = {
  group: "grove.io",
  version: "v1alpha1",
  plural: "podcliques",
  kind: "PodClique",
  namespaced: true,
};

export type PodCliqueSpec = DeepReadonly<z.input<typeof podCliqueSpec>>;
export type PodCliqueStatus = DeepReadonly<z.input<typeof podCliqueStatus>>;
export type PodCliqueUpdateProgress = NonNullable<PodCliqueStatus["updateProgress"]>;

export interface PodClique extends KubeObject {
  readonly spec: PodCliqueSpec;
  readonly status?: PodCliqueStatus;
}
