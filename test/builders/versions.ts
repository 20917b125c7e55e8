/** Every version of the objects of a scenario that readers could ever have seen, in the order it was stored. */
import type { PodClique } from "../../src/api/grove/podclique.ts";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import type { PodGang } from "../../src/api/grove/podgang.ts";
import { podGangResource } from "../../src/api/grove/podgang.ts";
import type { PodCliqueScalingGroup } from "../../src/api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { Client } from "../../src/runtime/client.ts";

/** Each list grows as the server stores; each version is whole, spec and status of one moment. */
export function versionsOf(client: Client) {
  const follow = <T extends KubeObject>(resource: Resource, seen: T[]): T[] => {
    void client.watch<T>(resource, { resourceVersion: "0" }, (event) => {
      if (event.type === "ADDED" || event.type === "MODIFIED") seen.push(event.object);
    });
    return seen;
  };
  return {
    sets: follow<PodCliqueSet>(podCliqueSetResource, []),
    groups: follow<PodCliqueScalingGroup>(scalingGroupResource, []),
    cliques: follow<PodClique>(podCliqueResource, []),
    gangs: follow<PodGang>(podGangResource, []),
  };
}
