/** The same scripts over real sockets, and rollouts with a network in between that fails. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FlakyProxy } from "../builders/flaky-proxy.ts";
import { startHttpCluster } from "../builders/http-cluster.ts";
import { rolling } from "../builders/stateful-set-scenario.ts";
import { StatefulSetStage } from "../builders/stateful-set-stage.ts";
import { statefulSetScripts } from "./statefulset-scripts/index.ts";
import { runIn } from "./statefulset-scripts/script.ts";

type HttpCluster = Awaited<ReturnType<typeof startHttpCluster>>;

describe.concurrent("over HTTP", () => {
  let cluster: HttpCluster;
  beforeAll(async () => {
    cluster = await startHttpCluster();
  });
  afterAll(() => cluster.stop());

  const scripts = Object.entries(statefulSetScripts).map(
    ([name, script], at) => [name, script, at] as const,
  );
  test.each(scripts)("%s", async (_name, script, at) => {
    expect(await runIn(cluster.world, `web${at}`, script)).not.toEqual([]);
  });
});

describe("a network that fails", () => {
  let cluster: HttpCluster;
  afterEach(() => cluster.stop());

  const troubles: Record<string, (proxy: FlakyProxy) => Promise<void>> = {
    "every connection is reset again and again": async (proxy) => {
      for (let times = 0; times < 5; times++) {
        proxy.reset();
        await delay(60);
      }
    },
    "the server is away for a while": async (proxy) => {
      proxy.cut();
      await delay(400);
      proxy.repair();
    },
    "connections die without a word": async (proxy) => {
      proxy.freeze();
      await delay(400);
      proxy.repair();
    },
  };

  test.each(Object.entries(troubles))("RO1 RO7 %s", async (_what, trouble) => {
    cluster = await startHttpCluster();
    const stage = new StatefulSetStage(cluster.world, "web");
    const spec = { podManagementPolicy: "Parallel", ...rolling(2) } as const;
    await stage.createAndWait({ replicas: 6, spec });
    const guard = stage.guard();
    await stage.setImage("web:v2");
    await delay(50);
    await trouble(cluster.proxy);
    await stage.rolledOut();
    expect(await stage.drawing()).toBe("0:v2 1:v2 2:v2 3:v2 4:v2 5:v2");
    expect(guard.fewest).toBe(4);
    stage.end();
  });
});
