/** Owners, dependents and namespaces: what is deleted when something else is deleted. */
import { expect, test } from "vitest";
import type { KubeObject, OwnerReference } from "../../api/object.ts";
import type { DeleteOptions } from "../../runtime/client.ts";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import {
  laxConfigMaps,
  laxNamespaces,
  laxPods,
  laxResource,
} from "../../../test/builders/served-resource.ts";
import type { ApiServer } from "../api-server.ts";
import { createApiServer } from "../api-server.ts";
import { seededIds } from "../ids.ts";
import { memoryStore } from "../store/memory-store.ts";

const clock = new VirtualClock();
const heldNamespaces = laxResource({
  kind: "Namespace",
  namespaced: false,
  rules: {
    ...laxNamespaces.rules,
    prepareForCreate: (draft) => {
      draft["spec"] = { finalizers: ["kubernetes"] };
      draft["status"] = { phase: "Active" };
    },
  },
});

function started(): ApiServer {
  const resources = [heldNamespaces, laxConfigMaps, laxPods];
  return createApiServer({ clock, ids: seededIds(1), resources });
}

/** Lets the background work of this instant come to its end. */
const controllersIdle = (): Promise<void> => clock.runFor(0);

async function chain({ client }: ApiServer, names: readonly string[]): Promise<void> {
  let ownerReferences: OwnerReference[] = [];
  for (const name of names) {
    const object = { metadata: { namespace: "default", name, ownerReferences } };
    const { metadata } = await client.create<KubeObject>(laxConfigMaps, object);
    const uid = metadata.uid ?? "";
    const type = { apiVersion: "v1", kind: "ConfigMap" };
    ownerReferences = [{ ...type, name, uid, blockOwnerDeletion: true }];
  }
  await controllersIdle();
}

async function left({ client }: ApiServer): Promise<string[]> {
  const { items } = await client.list(laxConfigMaps);
  return items.map(({ metadata }) => {
    const owners = (metadata.ownerReferences ?? []).map((owner) => owner.name);
    const terminating = metadata.deletionTimestamp === undefined ? "" : " terminating";
    return `${metadata.name} <- ${owners.join()}${terminating}`;
  });
}

const policies: Record<string, { options: DeleteOptions; at: string[]; after: string[] }> = {
  "background deletion takes the owner first, then everything below it": {
    options: { propagationPolicy: "Background" },
    at: ["b <- a", "c <- b"],
    after: [],
  },
  "without a policy deletion works in the background": {
    options: {},
    at: ["b <- a", "c <- b"],
    after: [],
  },
  "foreground deletion keeps the owner until its dependents are gone": {
    options: { propagationPolicy: "Foreground" },
    at: ["a <-  terminating", "b <- a", "c <- b"],
    after: [],
  },
  "orphan deletion lets the dependents stay": {
    options: { propagationPolicy: "Orphan" },
    at: ["a <-  terminating", "b <- a", "c <- b"],
    after: ["b <- ", "c <- b"],
  },
};

test.each(Object.entries(policies))("%s", async (_rule, { options, at, after }) => {
  const server = started();
  await chain(server, ["a", "b", "c"]);
  await server.client.delete(laxConfigMaps, { namespace: "default", name: "a" }, options);
  expect(await left(server)).toEqual(at);
  await controllersIdle();
  expect(await left(server)).toEqual(after);
});

test("what one object makes a background controller throw is reported, and concerns no other", async () => {
  const problems: unknown[] = [];
  const store = memoryStore();
  const resources = [heldNamespaces, laxConfigMaps, laxPods];
  const onProblem = (problem: unknown): void => void problems.push(problem);
  const server = createApiServer({ clock, ids: seededIds(1), resources, store, onProblem });
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "ghost", uid: "none" }];
  for (const name of ["poison", "other"]) {
    await server.client.create(laxConfigMaps, {
      metadata: { namespace: "default", name, ownerReferences },
    });
  }
  const configMaps = store.collection("configmaps");
  const remove = configMaps.delete.bind(configMaps);
  configMaps.delete = (key) => {
    if (key === "default/poison") throw new Error("poisoned");
    return remove(key);
  };
  await controllersIdle();
  expect(problems).toEqual([new Error("poisoned")]);
  expect(await left(server)).toEqual(["poison <- ghost"]);
});

test("an owner that never existed is no owner", async () => {
  const server = started();
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "ghost", uid: "none" }];
  await server.client.create(laxConfigMaps, {
    metadata: { namespace: "default", name: "a", ownerReferences },
  });
  await controllersIdle();
  expect(await left(server)).toEqual([]);
});

test("an object with one existing owner loses only the reference to the missing one", async () => {
  const server = started();
  await chain(server, ["a"]);
  const { metadata } = await server.client.get(laxConfigMaps, { namespace: "default", name: "a" });
  const type = { apiVersion: "v1", kind: "ConfigMap" };
  const ownerReferences = [
    { ...type, name: "a", uid: metadata.uid ?? "" },
    { ...type, name: "ghost", uid: "none" },
  ];
  await server.client.create(laxConfigMaps, {
    metadata: { namespace: "default", name: "b", ownerReferences },
  });
  await controllersIdle();
  expect(await left(server)).toEqual(["a <- ", "b <- a"]);
});

test("a deleted namespace is emptied and waits for pods to stop", async () => {
  const server = started();
  const { client } = server;
  await client.create(heldNamespaces, { metadata: { name: "doomed" } });
  await client.create(laxConfigMaps, { metadata: { namespace: "doomed", name: "a" } });
  const pod = { namespace: "doomed", name: "p" };
  await client.create(laxPods, { metadata: pod, spec: { nodeName: "node-1" } });
  await client.delete(heldNamespaces, { name: "doomed" });
  await controllersIdle();
  expect(await client.get(heldNamespaces, { name: "doomed" })).toMatchObject({
    status: { phase: "Terminating" },
  });
  const refused = client.create(laxConfigMaps, { metadata: { namespace: "doomed", name: "b" } });
  await expect(refused).rejects.toMatchObject({
    code: 403,
    message:
      'configmaps "b" is forbidden: unable to create new content in namespace doomed ' +
      "because it is being terminated",
  });
  expect(await left(server)).toEqual([]);
  await client.delete(laxPods, pod, { gracePeriodSeconds: 0 });
  await controllersIdle();
  await expect(client.get(heldNamespaces, { name: "doomed" })).rejects.toMatchObject({ code: 404 });
});

test("an object in a namespace that does not exist is refused", async () => {
  const { client } = started();
  const lost = client.create(laxConfigMaps, { metadata: { namespace: "nowhere", name: "a" } });
  await expect(lost).rejects.toMatchObject({
    code: 404,
    message: 'namespaces "nowhere" not found',
  });
});
