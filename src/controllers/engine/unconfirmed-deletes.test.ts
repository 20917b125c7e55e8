import { expect, test } from "vitest";
import { refused } from "../../../test/builders/memory-server.ts";
import { simulation } from "../../../test/builders/simulation.ts";
import { podResource } from "../../api/pod.ts";
import { restClient } from "../../runtime/rest-client.ts";
import { UnconfirmedDeletes } from "./unconfirmed-deletes.ts";

const key = { namespace: "default", name: "web-0" };

async function worldWithPod() {
  const { client, clock, create, transport } = await simulation({ nodes: 1 });
  const { metadata } = await create("web-0");
  const request = { resource: podResource, key, uid: metadata.uid ?? "" };
  return { client, clock, transport, request, assessedAt: metadata.resourceVersion };
}

test("P1 a pod that changed since it was assessed stays", async () => {
  const { client, clock, request, assessedAt } = await worldWithPod();
  await clock.runFor(10_000);
  const deletes = new UnconfirmedDeletes();
  const stale = { ...request, resourceVersion: assessedAt };
  expect(await deletes.delete(client, "set", stale)).toBe(false);
  expect((await client.get(podResource, key)).metadata.deletionTimestamp).toBeUndefined();
  const { resourceVersion } = (await client.get(podResource, key)).metadata;
  expect(await deletes.delete(client, "set", { ...request, resourceVersion })).toBe(true);
  expect((await client.get(podResource, key)).metadata.deletionTimestamp).toBeDefined();
});

test("P11 an object of the same name is never hit, and counts as deleted", async () => {
  const { client, request } = await worldWithPod();
  const deletes = new UnconfirmedDeletes();
  expect(await deletes.delete(client, "set", { ...request, uid: "another" })).toBe(true);
  expect((await client.get(podResource, key)).metadata.deletionTimestamp).toBeUndefined();
});

test("P11 a refusal that has nothing to do with the name is no delete", async () => {
  const { client, transport, request, assessedAt } = await worldWithPod();
  const deletes = new UnconfirmedDeletes();
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code: 409 };
  const body = { ...status, metadata: {}, reason: "Conflict", message: "not now" };
  const refusing = restClient({
    ...transport,
    request: (call) =>
      call.method === "DELETE"
        ? Promise.resolve({ status: 409, warnings: [], body })
        : transport.request(call),
  });
  await expect(deletes.delete(refusing, "set", request)).rejects.toThrow("not now");
  const unchanged = { ...request, resourceVersion: assessedAt };
  await expect(deletes.delete(refusing, "set", unchanged)).rejects.toThrow("not now");
  expect(await deletes.delete(client, "set", request)).toBe(true);
});

test("P1 a delete without an answer is asked for again before anything else", async () => {
  const { client, transport, request } = await worldWithPod();
  const deletes = new UnconfirmedDeletes();
  const deaf = restClient({
    ...transport,
    request: () => Promise.reject(new Error("connection lost")),
  });
  await expect(deletes.delete(deaf, "set", request)).rejects.toThrow("lost");
  await expect(deletes.confirm(deaf, "set")).rejects.toThrow("lost");
  expect(await deletes.confirm(client, "set")).toBe(true);
  expect(await deletes.confirm(client, "set")).toBe(false);
});

test.each([500, 503, 504])(
  "P1 a delete answered %i may have happened: it is asked for again before anything else",
  async (code) => {
    const { client, transport, request } = await worldWithPod();
    const deletes = new UnconfirmedDeletes();
    const body = refused(code, "InternalError");
    const failing = restClient({
      ...transport,
      request: () => Promise.resolve({ status: code, warnings: [], body }),
    });
    await expect(deletes.delete(failing, "set", request)).rejects.toThrow("InternalError");
    expect(await deletes.confirm(client, "another set")).toBe(false);
    expect(await deletes.confirm(client, "set")).toBe(true);
    await expect(client.get(podResource, key)).rejects.toThrow("not found");
  },
);

test("P1 a delete that was refused for good is not repeated", async () => {
  const { client, transport, request } = await worldWithPod();
  const deletes = new UnconfirmedDeletes();
  const body = refused(403, "Forbidden");
  const refusing = restClient({
    ...transport,
    request: () => Promise.resolve({ status: 403, warnings: [], body }),
  });
  await expect(deletes.delete(refusing, "set", request)).rejects.toThrow("Forbidden");
  expect(await deletes.confirm(client, "set")).toBe(false);
});
