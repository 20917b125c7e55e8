/** A watch that shows everything late must not make the controllers break what they promise. */
import { expect, test } from "vitest";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { scalingGroupResource } from "../../src/api/grove/scaling-group.ts";
import { podResource } from "../../src/api/pod.ts";
import { seenLate } from "../../src/simulation/faults.ts";
import { imagesOf, versionOf } from "../builders/pairs.ts";
import type { PodCliqueSetOptions } from "../builders/pod-clique-set-scenario.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { oneRevisionPerReplica } from "../builders/pod-clique-set-invariants.ts";

const pair: PodCliqueSetOptions = {
  replicas: 2,
  strategy: { type: "ReplicaRecreate" },
  cliques: { front: { replicas: 2 }, lead: {}, work: { replicas: 2 } },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2 } },
};

const kinds = [podCliqueResource, podResource, scalingGroupResource, podCliqueSetResource];
const cases = kinds.flatMap((resource) =>
  [700, 5_000].map((delayMs) => ({ resource, plural: resource.plural, delayMs })),
);

test.each(cases)(
  "PS14 one revision in a replica while $plural are seen $delayMs ms late",
  async ({ resource, delayMs }) => {
    const scenario = await podCliqueSetScenario(pair);
    await scenario.settled();
    scenario.always(oneRevisionPerReplica(versionOf));
    await scenario.restart(seenLate(resource, delayMs));
    await scenario.setImages(imagesOf("v2"));
    // Pods come and go while the laggard has yet to hear of the update.
    await scenario.clock.runFor(500);
    await scenario.deletePod("chat-1-front-0");
    await scenario.deletePod("chat-1-pair-0-lead-0");
    await scenario.clock.runFor(delayMs / 2);
    await scenario.setImages(imagesOf("v3"));
    await scenario.settled(7_200_000);
    const versions = scenario.drawing().map((line) => versionOf(line.split(" ")[1] ?? ""));
    expect([...new Set(versions)]).toEqual(["v3"]);
  },
);
