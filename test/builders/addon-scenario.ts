/** Scenarios of add-ons on the embedded server in virtual time: the installer runs, a test writes the decisions. */
import type { ClusterManagementAddOn, ManagedClusterAddOn } from "../../src/api/ocm/addon.ts";
import {
  clusterManagementAddOnResource,
  managedClusterAddOnResource,
} from "../../src/api/ocm/addon.ts";
import { placementDecisionResource, placementResource } from "../../src/api/ocm/placement.ts";
import type { DecisionGroup } from "../../src/planner/index.ts";
import { planPlacement } from "../../src/planner/index.ts";
import { addOnKind } from "../../src/controllers/addon/index.ts";
import { groupsOf, writesOf } from "./placement.ts";
import type { AddOnOptions } from "./placement-objects.ts";
import { createClusters, createManagement, DecisionWriter } from "./placement-objects.ts";
import type { ScenarioKind } from "../../src/simulation/scenario-kind.ts";
import type { ScenarioOptions } from "./scenario.ts";
import { scenario } from "./scenario.ts";

const addOnScenarioKind: ScenarioKind = {
  definitions: [addOnKind],
  resources: [clusterManagementAddOnResource, placementResource, placementDecisionResource],
  drawing: { nameOf: ({ metadata }) => metadata.name ?? "", line: () => undefined },
};

export interface AddOnScenarioOptions
  extends AddOnOptions, Pick<ScenarioOptions, "faults" | "expected" | "rollouts"> {
  readonly clusters?: readonly string[];
}

export async function addOnScenario(options: AddOnScenarioOptions = {}) {
  const { clusters = [], faults, expected, rollouts, ...addOn } = options;
  const world = await scenario({
    kinds: [addOnScenarioKind],
    cluster: { nodes: 0 },
    ...(faults === undefined ? {} : { faults }),
    ...(expected === undefined ? {} : { expected }),
    ...(rollouts === undefined ? {} : { rollouts }),
  });
  const { client, clock } = world;
  await createClusters(client, clusters);
  const decisions = new DecisionWriter(client);
  await decisions.createPlacement();
  const name = addOn.name ?? "agent";
  await createManagement(client, addOn);

  /** Plans from what the server holds and performs it, as the Placement controller does. */
  const select = async (
    groups: readonly DecisionGroup[],
    strategy: "All" | "RollingUpdate" = "RollingUpdate",
  ): Promise<void> => {
    const observed = await decisions.observed();
    const snapshot = {
      placement: "web",
      observed,
      selection: { kind: "selected", groups },
    } as const;
    for (const write of writesOf(planPlacement(snapshot, { strategy })))
      await decisions.write(write);
    await clock.runFor(1_000);
  };
  const addOns = async (): Promise<ManagedClusterAddOn[]> => {
    const { items } = await client.list<ManagedClusterAddOn>(managedClusterAddOnResource);
    return items.filter(({ metadata }) => metadata.name === name);
  };
  const management = () =>
    client.get<ClusterManagementAddOn>(clusterManagementAddOnResource, { name });
  return {
    ...world,
    decisions,
    management,
    addOns,
    selectGroups: select,
    select: (...names: readonly string[]) => select(groupsOf(names)),
    /** `c1 c2~`: where the add-on is, `~` where it is terminating. */
    installed: async (): Promise<string> =>
      (await addOns())
        .map(
          ({ metadata }) =>
            `${metadata.namespace}${metadata.deletionTimestamp === undefined ? "" : "~"}`,
        )
        .join(" "),
    uids: async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        (await addOns()).map(({ metadata }) => [metadata.namespace ?? "", metadata.uid ?? ""]),
      ),
    /** The agent on a cluster reports. */
    report: async (namespace: string, type: string, status: "True" | "False", message = "") => {
      const lastTransitionTime = new Date(clock.now()).toISOString().replace(/\.\d+Z/, "Z");
      const condition = { type, status, reason: "Agent", message, lastTransitionTime };
      const body = { status: { conditions: [condition] } };
      const patch = { type: "merge", body } as const;
      const key = { namespace, name };
      await client.patch(managedClusterAddOnResource, key, patch, { subresource: "status" });
      await clock.runFor(1_000);
    },
    condition: async (type: string) => {
      const found = (await management()).status?.conditions?.find((each) => each.type === type);
      return found && `${found.status} ${found.reason}: ${found.message}`;
    },
  };
}

export type AddOnScenario = Awaited<ReturnType<typeof addOnScenario>>;
