/** The set that most scenarios use: two frontends, and two pairs of leader and worker of which one must serve. */
import type { PodCliqueSetOptions } from "./pod-clique-set-scenario.ts";

export const pairs = {
  cliques: { front: { replicas: 2, minAvailable: 1 }, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
} as const satisfies PodCliqueSetOptions;

export const imagesOf = (version: string) => ({
  front: `front:${version}`,
  lead: `lead:${version}`,
  work: `work:${version}`,
});

/** `v2` of `front:v2`. */
export const versionOf = (image: string): string => image.split(":")[1] ?? "";
