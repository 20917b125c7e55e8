/** People who change their minds: sizes, images and strategies change at random times, and it all ends well. */
import { expect, test } from "vitest";
import { seededRandom } from "../../src/sim/random.ts";
import { imagesOf, pairs } from "../builders/pairs.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";

const strategies = [
  { type: "RollingUpdate", rollingUpdate: null },
  { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
  { type: "ReplicaRecreate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  { type: "OnDelete", rollingUpdate: null },
];

test.each([1, 2, 5])(
  "RO7 whatever was asked for in between, the last request is met (seed %d)",
  async (seed) => {
    const random = seededRandom(seed);
    const scenario = await podCliqueSetScenario({ ...pairs, replicas: 2 });
    await scenario.settled();
    const ignore = (): undefined => undefined;
    const overrides: readonly (() => Promise<unknown>)[] = [
      () => scenario.setImages(imagesOf(["v1", "v2", "v3", "broken"][random.below(4)] ?? "v1")),
      () => scenario.setImages({ front: `front:v${random.below(4)}` }),
      () => scenario.scale(1 + random.below(3)),
      () => scenario.patchStrategy(strategies[random.below(strategies.length)]),
      () => scenario.scaleGroup(`chat-${random.below(2)}-pair`, 1 + random.below(3)).catch(ignore),
      () =>
        scenario.scaleClique(`chat-${random.below(2)}-front`, 1 + random.below(3)).catch(ignore),
      () => scenario.patchStrategy({ paused: random.below(2) === 0 ? true : null }),
      () => scenario.restart(),
    ];
    for (let step = 0; step < 14; step += 1) {
      await overrides[random.below(overrides.length)]?.();
      await scenario.clock.runFor(random.below(8_000));
    }
    await scenario.patchStrategy({ ...strategies[random.below(3)], paused: null });
    await scenario.scale(2);
    await scenario.setImages(imagesOf("v9"));
    await scenario.settled();
    await scenario.clock.runFor(20_000);
    expect(scenario.drawing().filter((line) => !line.endsWith(":v9"))).toEqual([]);
    const sizes = (await scenario.cliques()).map(({ spec }) => spec.replicas);
    expect(scenario.drawing()).toHaveLength(sizes.reduce((a, b) => a + b, 0));
  },
);
