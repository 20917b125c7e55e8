/** RoleBasedGroups to send to a server: a good one, changes to it, and what the server says to them. */
import type { Json } from "../contract/json.ts";

const template = { spec: { containers: [{ name: "main", image: "app:v1" }] } };

export const role = (name: string, parts: Json = {}): Json => ({
  name,
  replicas: 4,
  template,
  ...parts,
});

export const coordination = (strategy: Json, parts: Json = {}): Json => ({
  name: "pair",
  roles: ["prefill", "decode"],
  strategy,
  ...parts,
});

export const group = (spec: Json = {}, name = "chat"): Json => ({
  apiVersion: "workloads.x-k8s.io/v1alpha1",
  kind: "RoleBasedGroup",
  metadata: { name },
  spec: { roles: [role("prefill"), role("decode", { replicas: 2 })], ...spec },
});

const coordinated = (strategy: Json, parts: Json = {}): Json => ({
  coordination: [coordination(strategy, parts)],
});
const affinity = (more: Json = {}): Json => ({
  affinityScheduling: { ratios: { prefill: 2, decode: 1 }, ...more },
});
const placed = (strategy: Json, parts: Json = {}): Json =>
  coordinated(strategy, { type: "AffinityScheduling", ...parts });
const withRoles = (prefill: Json, decode: Json = {}): Json => ({
  roles: [role("prefill", prefill), role("decode", { replicas: 2, ...decode })],
});

const both = (spec: string): string => `spec${spec}: Invalid value: `;
const wholeSpec = both("");
const inCoordination = both(".coordination[0]");
const inRole = both(".roles[0]");

const circular =
  "roles[].dependencies: roles wait for each other, so none of them would ever start: remove one of the dependencies";

export interface GroupCase {
  readonly given: Json;
  /** Empty where it is accepted. */
  readonly want: string;
}

const accepted: Record<string, Json> = {
  "a plain group": group(),
  "the flat shape": group(
    coordinated(
      { maxUnavailableRatio: "5%", maxSkew: "1%", partition: "80%" },
      { type: "RollingUpdate" },
    ),
  ),
  "the nested shape with a type": group(
    coordinated(
      { rollingUpdate: { maxUnavailableRatio: "5%", maxSkew: "1%" } },
      { type: "RollingUpdate" },
    ),
  ),
  "the nested shape without a type": group(
    coordinated({
      rollingUpdate: { maxUnavailable: "10%", maxSkew: "1%" },
      scaling: { maxSkew: "5%" },
    }),
  ),
  "an affinity of two to one": group(placed(affinity())),
  "a rolling update and an affinity of the same roles": group({
    coordination: [
      coordination({ maxSkew: "10%" }),
      coordination(affinity(), { name: "placed", type: "AffinityScheduling" }),
    ],
  }),
  "ordered steps": group(
    coordinated({
      steps: [
        { roles: { prefill: "50%" }, pause: {} },
        { roles: { decode: 2 }, pause: { seconds: 60 } },
      ],
    }),
  ),
  "a template by reference": group({
    ...withRoles({ template: undefined, templateRef: { name: "engine" }, templatePatch: {} }),
    roleTemplates: [{ name: "engine", template }],
  }),
  "roles in a chain of sixteen": group({
    roles: Array.from({ length: 16 }, (_, index) =>
      role(`r${index}`, index === 0 ? {} : { dependencies: [`r${index - 1}`] }),
    ),
  }),
  "a coordination that only scales, of a role with its own strategy": group({
    ...withRoles({ rolloutStrategy: { rollingUpdate: { maxUnavailable: 2 } } }),
    ...coordinated({ scaling: { maxSkew: "5%", progression: "OrderReady" } }),
  }),
};

const refused: Record<string, GroupCase> = {
  "a coordination of an unknown role": {
    given: group(coordinated({ maxSkew: "1%" }, { roles: ["prefill", "router"] })),
    want: `${wholeSpec}coordination[].roles names a role that is not in roles: add the role or correct the name`,
  },
  "a coordinated role with its own strategy": {
    given: group({ ...withRoles({ rolloutStrategy: {} }), ...coordinated({ maxSkew: "1%" }) }),
    want:
      `${wholeSpec}roles[].rolloutStrategy is set on a role that a coordination updates: remove it, and write ` +
      "maxUnavailable and partition into the coordination",
  },
  "a role in two coordinations of one type": {
    given: group({
      coordination: [coordination({ maxSkew: "1%" }), coordination({}, { name: "other" })],
    }),
    want:
      `${wholeSpec}coordination[].roles: a role is in two coordinations of one type: keep it in one, ` +
      "or join the two",
  },
  "a coordinated Deployment": {
    given: group({
      ...withRoles({ workload: { apiVersion: "apps/v1", kind: "Deployment" } }),
      ...coordinated({ maxSkew: "1%" }),
    }),
    want:
      `${wholeSpec}coordination[].roles names a role under Deployment, whose pods have no order to stop at: set ` +
      "roles[].workload.kind StatefulSet, or take the role out of the coordination",
  },
  "an affinity of pods that another controller makes": {
    given: group({
      ...withRoles({ workload: { apiVersion: "apps/v1", kind: "Deployment" } }),
      ...placed(affinity()),
    }),
    want:
      `${wholeSpec}coordination[].roles of type AffinityScheduling names a role whose pods another controller ` +
      "makes: remove roles[].workload, since Lockstep makes the pods of such roles itself",
  },
  "a skew that is no share": {
    given: group(coordinated({ maxSkew: "5" })),
    want:
      'spec.coordination[0].strategy.maxSkew: Invalid value: "5": spec.coordination[0].strategy.maxSkew in body ' +
      "should match '^([0-9]|[1-9][0-9]|100)%$'",
  },
  "more than everything unavailable": {
    given: group(coordinated({ maxUnavailableRatio: "120%" })),
    want:
      'spec.coordination[0].strategy.maxUnavailableRatio: Invalid value: "120%": ' +
      "spec.coordination[0].strategy.maxUnavailableRatio in body should match '^([0-9]|[1-9][0-9]|100)%$'",
  },
  "both names of one setting": {
    given: group(coordinated({ maxUnavailable: "5%", maxUnavailableRatio: "5%" })),
    want: `${inCoordination}strategy: maxUnavailable and maxUnavailableRatio mean the same: keep one of them`,
  },
  "both places of one setting": {
    given: group(coordinated({ maxSkew: "5%", rollingUpdate: { maxUnavailable: "5%" } })),
    want:
      `${inCoordination}strategy.rollingUpdate is set beside the same settings in strategy: keep them in one ` +
      "of the two places",
  },
  "steps beside a skew": {
    given: group(
      coordinated({ rollingUpdate: { maxSkew: "5%", steps: [{ roles: { prefill: 1 } }] } }),
    ),
    want:
      `${inCoordination}strategy: maxSkew and steps are both set, but the steps already say what the skew is: ` +
      "remove one of them",
  },
  "a step of a role outside the coordination": {
    given: group(coordinated({ steps: [{ roles: { router: "50%" } }] })),
    want:
      `${inCoordination}strategy.steps[].roles names a role that is not in roles of the coordination: add it ` +
      "or correct the name",
  },
  "a step without roles": {
    given: group(coordinated({ steps: [{ roles: {} }] })),
    want:
      `${both(".coordination[0].strategy.steps[0]")}steps[].roles is empty: name the roles that this step ` +
      "updates, for example {frontend: 50%}",
  },
  "an affinity without its settings": {
    given: group(placed({})),
    want:
      `${inCoordination}strategy.affinityScheduling is missing for type AffinityScheduling: add it with the ` +
      "ratios of the roles",
  },
  "an affinity under the other type": {
    given: group(placed(affinity(), { type: "RollingUpdate" })),
    want:
      `${inCoordination}strategy.affinityScheduling has no place in type RollingUpdate: use type ` +
      "AffinityScheduling, or remove it",
  },
  "an affinity and an update in one": {
    given: group(placed({ ...affinity(), maxSkew: "5%" })),
    want:
      `${inCoordination}strategy has affinityScheduling and settings of a rolling update: write two ` +
      "coordinations, one for each",
  },
  "ratios that leave a role out": {
    given: group(placed(affinity({ ratios: { prefill: 2 } }))),
    want:
      `${inCoordination}strategy.affinityScheduling.ratios has to name exactly the roles of the coordination: ` +
      "add or remove entries",
  },
  "a ratio of nothing": {
    given: group(placed(affinity({ ratios: { prefill: 2, decode: -1 } }))),
    want:
      "[spec.coordination[0].strategy.affinityScheduling.ratios.decode: Invalid value: -1: " +
      "spec.coordination[0].strategy.affinityScheduling.ratios.decode in body should be greater than or equal to 1, " +
      `${wholeSpec}coordination[].strategy.affinityScheduling.ratios: the roles fill different numbers of batches: ` +
      "change roles[].replicas so that replicas divided by ratio is the same for each]",
  },
  "an affinity without a domain": {
    given: group(placed(affinity({ topologyKey: "" }))),
    want:
      'spec.coordination[0].strategy.affinityScheduling.topologyKey: Invalid value: "": ' +
      "spec.coordination[0].strategy.affinityScheduling.topologyKey in body should be at least 1 chars long",
  },
  "replicas that fill no batch": {
    given: group({ ...withRoles({ replicas: 5 }), ...placed(affinity()) }),
    want:
      `${wholeSpec}coordination[].strategy.affinityScheduling.ratios: the replicas of a role are no multiple of its ` +
      "ratio, so some pods would be in no batch: change roles[].replicas or the ratio",
  },
  "roles that fill different numbers of batches": {
    given: group({ ...withRoles({ replicas: 6 }), ...placed(affinity()) }),
    want:
      `${wholeSpec}coordination[].strategy.affinityScheduling.ratios: the roles fill different numbers of ` +
      "batches: change roles[].replicas so that replicas divided by ratio is the same for each",
  },
  "a dependency on an unknown role": {
    given: group(withRoles({ dependencies: ["router"] })),
    want: `${wholeSpec}roles[].dependencies names a role that is not in roles: add the role or correct the name`,
  },
  "a dependency on itself": {
    given: group(withRoles({ dependencies: ["prefill"] })),
    want: `${inRole}dependencies names the role itself: remove it`,
  },
  "roles that wait for each other": {
    given: group({
      roles: [
        role("a", { dependencies: ["b"] }),
        role("b", { dependencies: ["c"] }),
        role("c", { dependencies: ["a"] }),
        role("d"),
      ],
    }),
    want: `${wholeSpec}${circular}`,
  },
  "a workload that nobody runs": {
    given: group(withRoles({ workload: { apiVersion: "v1", kind: "InstanceSet" } })),
    want:
      "spec.roles[0].workload: Invalid value: workload is not supported: use apps/v1 StatefulSet, apps/v1 " +
      "Deployment, leaderworkerset.x-k8s.io/v1 LeaderWorkerSet, or v1 Pod",
  },
  "a role without a template": {
    given: group(withRoles({ template: undefined })),
    want: `${inRole}template and templateRef: set exactly one of them`,
  },
  "a patch of nothing": {
    given: group(withRoles({ templatePatch: {} })),
    want:
      `${inRole}templatePatch changes what templateRef names, and that is not set: set templateRef, or ` +
      "change template",
  },
  "an unknown template": {
    given: group(withRoles({ template: undefined, templateRef: { name: "engine" } })),
    want: `${wholeSpec}roles[].templateRef.name is not in roleTemplates: add the template or correct the name`,
  },
  "names that are too long together": {
    given: group({}, "a".repeat(45)),
    want:
      "<nil>: Invalid value: metadata.name and spec.roles[].name are longer than 51 characters together: " +
      "shorten one of them",
  },
  "two gang schedulers": {
    given: group({ podGroupPolicy: { kubeScheduling: {}, volcanoScheduling: {} } }),
    want: `${both(".podGroupPolicy")}podGroupPolicy: set exactly one of kubeScheduling and volcanoScheduling`,
  },
};

export const groupCases: Record<string, GroupCase> = {
  ...Object.fromEntries(
    Object.entries(accepted).map(([name, given]) => [`accepts ${name}`, { given, want: "" }]),
  ),
  ...Object.fromEntries(Object.entries(refused).map(([name, value]) => [`refuses ${name}`, value])),
};
