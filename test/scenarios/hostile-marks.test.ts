/** What Lockstep writes down in annotations is on objects of users, who may write anything there. */
import { expect, test } from "vitest";
import { podCliqueResource } from "../../src/api/grove/podclique.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { Client } from "../../src/runtime/client.ts";
import { serviceResource } from "../../src/api/service.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { namespace } from "../builders/scenario.ts";

const annotate = (client: Client, resource: Resource, name: string, key: string, value: string) => {
  const body = { metadata: { annotations: { [key]: value } } };
  return client.patch(resource, { namespace, name }, { type: "merge", body });
};

const sizes: Record<string, string> = {
  "less than none": '{"web": -5}',
  "more than there may be": '{"web": 2147483647}',
  "a fraction": '{"web": 0.5}',
  "a list": '[["web", 3]]',
  "a text without end": "9".repeat(200_000),
};

test.each(Object.entries(sizes))(
  "OP10 a clique that is made again with %s recorded gets what its template says",
  async (_what, text) => {
    const world = await podCliqueSetScenario({ cliques: { web: { replicas: 2 } } });
    await world.settled();
    await annotate(world.client, serviceResource, "chat-0", "lockstep.dev/live-replicas", text);
    await world.client.delete(podCliqueResource, { namespace, name: "chat-0-web" });
    await world.clock.runFor(30_000);
    await world.settled();
    expect(world.livePods()).toHaveLength(2);
  },
);

test.each(["9999-12-31T23:59:59Z", "+275760-09-13T00:00:00Z", "soon"])(
  "OP10 a replica that is to start over up to %s is left alone",
  async (text) => {
    const world = await podCliqueSetScenario({ cliques: { web: { replicas: 2 } } });
    await world.settled();
    const before = (await world.cliques()).map(({ metadata }) => metadata.uid);
    await annotate(world.client, serviceResource, "chat-0", "lockstep.dev/restart-up-to", text);
    await world.setImages({ web: "web:v2" });
    await world.settled();
    expect((await world.cliques()).map(({ metadata }) => metadata.uid)).toEqual(before);
  },
);

const records: Record<string, string> = {
  "no record": "hello",
  "numbers beyond any": `x ${"9".repeat(400)} y ${"9".repeat(400)} ${"9".repeat(400)}`,
  "as many as a number can say": "x 2147483647 y 2147483647 2147483647",
  "ordinals without end": `x 2 y - ${Array.from({ length: 40_000 }, (_, at) => at).join(",")}`,
  "a revision that no label holds": `${"x".repeat(100_000)} 1 ${"/".repeat(100)}`,
};

test.each(Object.entries(records))(
  "OP10 a role whose record says %s is rolled out all the same",
  async (_what, text) => {
    const workload = { workload: { apiVersion: "v1", kind: "Pod" } };
    const world = await groupScenario({ sizes: { prefill: 2 }, roles: { prefill: workload } });
    await world.settled();
    const [service] = (await world.client.list(serviceResource, { namespace })).items;
    const name = service?.metadata.name ?? "";
    await annotate(world.client, serviceResource, name, "lockstep.dev/role-rollout", text);
    await world.setImage("web:v2");
    await world.settled();
    expect(world.counts("web:v2")).toBe("prefill 2/2");
  },
);
