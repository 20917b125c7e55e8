import { expect, test } from "vitest";
import type { StatefulSet } from "../../api/apps.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { labelKeys } from "../../api/rbg/labels.ts";
import type { RoleBasedGroup, RoleSpec } from "../../api/rbg/rolebasedgroup.ts";
import { readerOf } from "../../runtime/reader.ts";
import { PerOwner } from "../engine/per-owner.ts";
import type { Write } from "../engine/write.ts";
import { writesOf } from "../engine/write.ts";
import type { GroupReaders } from "./caches.ts";
import { groupCacheDefinitions } from "./caches.ts";
import { observe } from "./observe.ts";
import { plan } from "./plan.ts";
import { Refusals } from "./refusals.ts";
import { ReadyPods } from "./restarts.ts";

/** What the cluster has, by kind. */
interface World {
  readonly groups: readonly RoleBasedGroup[];
  readonly sets?: readonly StatefulSet[];
  readonly pods?: readonly Pod[];
  readonly others?: Readonly<
    Partial<Record<"services" | "configMaps" | "revisions", KubeObject[]>>
  >;
}

const indexed = <T extends KubeObject>(name: keyof GroupReaders, objects: readonly T[]) =>
  readerOf(objects, groupCacheDefinitions[name].indexes as never);

function readersOf({ groups, sets = [], pods = [], others = {} }: World): GroupReaders {
  return {
    groups: readerOf(groups),
    sets: indexed("sets", sets),
    deployments: indexed("deployments", []),
    leaderWorkerSets: indexed("leaderWorkerSets", []),
    adapters: indexed("adapters", []),
    pods: indexed("pods", pods),
    services: indexed("services", others.services ?? []),
    configMaps: indexed("configMaps", others.configMaps ?? []),
    revisions: indexed("revisions", others.revisions ?? []) as GroupReaders["revisions"],
  };
}

const role = (name: string, image: string, replicas: number): RoleSpec => ({
  name,
  replicas,
  template: { spec: { containers: [{ name: "app", image }] } },
});

const group = (image: string, sizes: readonly [number, number] = [4, 2]): RoleBasedGroup => ({
  apiVersion: "workloads.x-k8s.io/v1alpha1",
  kind: "RoleBasedGroup",
  metadata: { name: "chat", namespace: "default", uid: "g", generation: 1 },
  spec: {
    roles: [role("prefill", image, sizes[0]), role("decode", image, sizes[1])],
    coordination: [
      {
        name: "pair",
        roles: ["prefill", "decode"],
        strategy: { maxSkew: "25%", maxUnavailable: "25%" },
      },
    ],
  },
});

const planOf = (world: World) => {
  const memory = {
    readyPods: new PerOwner(() => new ReadyPods()),
    refusals: new PerOwner(() => new Refusals()),
  };
  const observed = observe(readersOf(world), memory, {
    key: { namespace: "default", name: "chat" },
    nowMs: 1_000,
  });
  return plan(observed!);
};

const allWrites = (world: World): readonly Write[] => {
  const { record = [], phases } = planOf(world);
  return [...writesOf(record), ...writesOf(phases)];
};

/** The sets as an earlier plan made them, seen by their controller or not. */
function made(image: string, isSeen: boolean): readonly StatefulSet[] {
  return allWrites({ groups: [group(image)] }).flatMap((write) => {
    if (write.verb !== "create" || write.resource.kind !== "StatefulSet") return [];
    const set = write.object as StatefulSet;
    const metadata = {
      ...set.metadata,
      uid: set.metadata.name,
      resourceVersion: "1",
      generation: 2,
    };
    return [{ ...set, metadata, status: { replicas: 0, observedGeneration: isSeen ? 2 : 1 } }];
  });
}

const podsOf = (sets: readonly StatefulSet[]): readonly Pod[] =>
  sets.flatMap((set) =>
    Array.from({ length: set.spec.replicas ?? 0 }, (_, ordinal): Pod => {
      const name = `${set.metadata.name}-${ordinal}`;
      const owner = {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        name: "",
        uid: set.metadata.uid ?? "",
      };
      const condition = {
        type: "Ready",
        status: "True",
        lastTransitionTime: "1970-01-01T00:00:00Z",
      };
      return {
        metadata: {
          name,
          namespace: "default",
          uid: name,
          labels: { ...set.spec.template.metadata?.labels, [labelKeys.revision]: "old" },
          ownerReferences: [{ ...owner, controller: true }],
        },
        spec: { containers: [] },
        status: { phase: "Running", conditions: [condition] },
      };
    }),
  );

/** The new template with its closed cursor, as the first write of a rollout leaves the sets. */
function begun(isSeen: boolean): readonly StatefulSet[] {
  const sets = made("web:v1", true);
  return allWrites({ groups: [group("web:v2")], sets, pods: podsOf(sets) }).flatMap((write) => {
    if (write.verb !== "update" || write.resource.kind !== "StatefulSet") return [];
    const set = write.object as StatefulSet;
    const status = { replicas: 0, ...set.status, observedGeneration: isSeen ? 3 : 2 };
    return [{ ...set, metadata: { ...set.metadata, generation: 3 }, status }];
  });
}

interface Operation {
  readonly path: string;
  readonly value: unknown;
}

/** What a write makes of the strategy of a set. */
function strategyIn(write: Write): StatefulSet["spec"]["updateStrategy"] {
  if (write.verb === "create" || write.verb === "update") {
    return (write.object as StatefulSet).spec.updateStrategy;
  }
  if (write.verb === "delete" || write.patch.type !== "json") return undefined;
  const operations = write.patch.operations as readonly Operation[];
  const found = operations.find(({ path }) => path === "/spec/updateStrategy")?.value;
  return found as StatefulSet["spec"]["updateStrategy"];
}

/** Of the writes to sets: `patch chat-prefill 4`, with the partition. */
const partitions = (world: World): string[] =>
  allWrites(world).flatMap((write) => {
    if (write.resource.kind !== "StatefulSet" || write.verb === "delete") return [];
    const name = write.verb === "patch" ? write.key.name : write.object.metadata.name;
    return [`${write.verb} ${name} ${strategyIn(write)?.rollingUpdate?.partition}`];
  });

const old = made("web:v1", true);
const cases: Record<string, { given: World; want: readonly string[] }> = {
  "RG1 a new group is created with open cursors": {
    given: { groups: [group("web:v1")] },
    want: ["create chat-prefill 0", "create chat-decode 0"],
  },
  "RG7 nothing is written where everything is as it should be": {
    given: { groups: [group("web:v1")], sets: old, pods: podsOf(old) },
    want: [],
  },
  "CO5 a new template comes with a closed cursor, in one write": {
    given: { groups: [group("web:v2")], sets: old, pods: podsOf(old) },
    want: ["update chat-prefill 4", "update chat-decode 2"],
  },
  "CO5 nothing moves before the sets' controller has seen it": {
    given: { groups: [group("web:v2")], sets: begun(false), pods: podsOf(old) },
    want: [],
  },
  "CO5 nothing moves as long as one of them is late": {
    given: {
      groups: [group("web:v2")],
      sets: [begun(true)[0]!, begun(false)[1]!],
      pods: podsOf(old),
    },
    want: [],
  },
  "CO4 then both move in the same plan": {
    given: { groups: [group("web:v2")], sets: begun(true), pods: podsOf(old) },
    want: ["patch chat-prefill 3", "patch chat-decode 1"],
  },
  "CO8 back to the old template: closed again, though most pods have it": {
    given: { groups: [group("web:v1")], sets: begun(true), pods: podsOf(old) },
    want: ["update chat-prefill 4", "update chat-decode 2"],
  },
  "RG7 a size is written beside the cursor as it is": {
    given: { groups: [group("web:v1", [6, 2])], sets: old, pods: podsOf(old) },
    want: ["patch chat-prefill 0"],
  },
};

test.each(Object.entries(cases))("%s", (_name, { given, want }) => {
  expect(partitions(given)).toEqual(want);
});

test("RG3 the set of a role that is gone is deleted, whatever else happens", () => {
  const { spec, ...rest } = group("web:v1");
  const [prefill] = spec.roles;
  const alone = { ...rest, spec: { roles: [prefill!] } };
  const deleted = allWrites({ groups: [alone], sets: old, pods: podsOf(old) }).flatMap((write) =>
    write.verb === "delete" ? [`${write.resource.kind} ${write.key.name} ${write.uid}`] : [],
  );
  expect(deleted).toEqual(["StatefulSet chat-decode chat-decode"]);
});

test("CO13 the order of the roles in a spec changes no decision", () => {
  const turned = (image: string): RoleBasedGroup => {
    const { spec, ...rest } = group(image);
    return { ...rest, spec: { ...spec, roles: spec.roles.toReversed() } };
  };
  const world = { sets: begun(true), pods: podsOf(old) };
  const [a, b] = [group("web:v2"), turned("web:v2")].map((each) =>
    partitions({ groups: [each], ...world }),
  );
  expect(new Set(a)).toEqual(new Set(b));
});
