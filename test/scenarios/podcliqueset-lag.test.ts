/** A watch that shows everything late must not make the controllers break what they promise. */
import { expect, test } from "vitest";
import { sleep } from "../../src/runtime/clock.ts";
import type { Between, SetOptions } from "../builders/pod-clique-set-scenario.ts";
import { cliqueScenario } from "../builders/pod-clique-set-scenario.ts";
import { oneRevisionPerReplica } from "../builders/clique-watcher.ts";

/** Objects of one kind are seen so much later, in order. */
const lag =
  (plural: string, delayMs: number): Between =>
  (transport, clock) => ({
    request: (request) => transport.request(request),
    stream: async (request, onEvent) => {
      if (!request.path.endsWith(`/${plural}`)) return transport.stream(request, onEvent);
      let last: Promise<void> = Promise.resolve();
      await transport.stream(request, (event) => {
        const late = sleep(clock, delayMs, request.signal);
        last = last.then(() => late).then(() => onEvent(event));
      });
      await last;
    },
  });

const versionOf = (image: string): string => image.split(":")[1] ?? "";
const imagesOf = (version: string) => ({
  front: `front:${version}`,
  lead: `lead:${version}`,
  work: `work:${version}`,
});
const pair: SetOptions = {
  replicas: 2,
  strategy: { type: "ReplicaRecreate" },
  cliques: { front: { replicas: 2 }, lead: {}, work: { replicas: 2 } },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2 } },
};

const cases = ["podcliques", "pods", "podcliquescalinggroups", "podcliquesets"].flatMap((plural) =>
  [700, 5_000].map((delayMs) => ({ plural, delayMs })),
);

test.each(cases)(
  "PS14 one revision in a replica while $plural are seen $delayMs ms late",
  async ({ plural, delayMs }) => {
    const scenario = await cliqueScenario(pair);
    await scenario.settled();
    scenario.watcher.always(oneRevisionPerReplica(versionOf));
    await scenario.restart(lag(plural, delayMs));
    await scenario.setImages(imagesOf("v2"));
    // Pods come and go while the laggard has yet to hear of the update.
    await scenario.clock.runFor(500);
    await scenario.deletePod("chat-1-front-0");
    await scenario.deletePod("chat-1-pair-0-lead-0");
    await scenario.clock.runFor(delayMs / 2);
    await scenario.setImages(imagesOf("v3"));
    await scenario.settled(7_200_000);
    expect(scenario.watcher.violations.slice(0, 3)).toEqual([]);
    const versions = scenario.watcher.drawing().map((line) => versionOf(line.split(" ")[1] ?? ""));
    expect([...new Set(versions)]).toEqual(["v3"]);
  },
);
