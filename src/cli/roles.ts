/** The roles that an operator needs, made from what its kinds declare. Pure. */
import type { KubeObject } from "../api/object.ts";
import type { Access, KindDefinition, Verb } from "../controllers/engine/kind-definition.ts";
import { eventResource } from "../runtime/event-recorder.ts";
import { leaseName } from "../rollouts/operator.ts";

export interface Rule {
  readonly group: string;
  readonly resources: readonly string[];
  readonly verbs: readonly Verb[];
  readonly names?: readonly string[];
  /** For an administrator who wonders. */
  readonly comments: readonly string[];
}

/** The operator's own, whatever kinds it runs. */
const eventAccess: Access = { resource: eventResource, verbs: ["create", "patch"] };

/** A name cannot be asked for when an object is created: nobody knows it yet. */
export const leaseRules: readonly Rule[] = [
  { group: "coordination.k8s.io", resources: ["leases"], verbs: ["create"], comments: [] },
  {
    group: "coordination.k8s.io",
    resources: ["leases"],
    verbs: ["get", "update"],
    names: [leaseName],
    comments: [],
  },
];

const verbOrder: readonly Verb[] = ["get", "list", "watch", "create", "update", "patch", "delete"];

/** By the name of the kind; a kind that is left out runs in its default mode. */
export type Modes = Readonly<Record<string, string>>;

export function accessOf(kinds: readonly KindDefinition[], modes: Modes): readonly Access[] {
  const ofKinds = kinds.flatMap((kind) => kind.access(modes[kind.name] ?? kind.modes[0]));
  return [...ofKinds, eventAccess];
}

const resourceText = ({ resource, subresource }: Access): string =>
  subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;

/** One rule per group and set of verbs, in an order that no edit of a kind disturbs. */
export function rulesOf(access: readonly Access[]): Rule[] {
  const resourceKey = (each: Access): string => `${each.resource.group}/${resourceText(each)}`;
  const inOrder = access.toSorted((a, b) => (resourceKey(a) < resourceKey(b) ? -1 : 1));
  const alike = ({ group, verbs, comments }: Rule): string =>
    JSON.stringify([group, verbs, comments]);
  return grouped(grouped(inOrder, resourceKey).map(ruleOf), alike).map((rules) => ({
    ...rules[0],
    resources: rules.flatMap(({ resources }) => resources),
  }));
}

function ruleOf(accessToOne: readonly [Access, ...Access[]]): Rule {
  const [first] = accessToOne;
  const verbs = new Set(accessToOne.flatMap((each) => each.verbs));
  return {
    group: first.resource.group,
    resources: [resourceText(first)],
    verbs: verbOrder.filter((verb) => verbs.has(verb)),
    comments: [...new Set(accessToOne.flatMap(({ why }) => why ?? []))],
  };
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

export interface RoleOptions {
  readonly kinds: readonly KindDefinition[];
  readonly modes: Modes;
  /** Roles in these instead of a ClusterRole; empty for the whole cluster. */
  readonly namespaces: readonly string[];
  /** Of the lease and of the service account `lockstep`. */
  readonly operatorNamespace: string;
}

/** Roles and bindings, for `kubectl apply`. */
export function roleObjects(options: RoleOptions): KubeObject[] {
  const { kinds, modes, namespaces, operatorNamespace } = options;
  const access = accessOf(kinds, modes);
  const isClusterWide = namespaces.length === 0;
  const inCluster = access.filter(({ resource }) => isClusterWide || !resource.namespaced);
  const inNamespaces = access.filter(({ resource }) => resource.namespaced);
  const pairOf = (kind: RoleKind, name: string, namespace?: string) => (rules: readonly Rule[]) =>
    rules.length === 0 ? [] : roleWithBinding({ kind, name, namespace, operatorNamespace }, rules);
  return [
    ...pairOf("ClusterRole", "lockstep")(rulesOf(inCluster)),
    ...namespaces.flatMap((each) => pairOf("Role", "lockstep", each)(rulesOf(inNamespaces))),
    ...pairOf("Role", "lockstep-lease", operatorNamespace)(leaseRules),
  ];
}

type RoleKind = "Role" | "ClusterRole";

interface RolePlace {
  readonly kind: RoleKind;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly operatorNamespace: string;
}

function roleWithBinding(place: RolePlace, rules: readonly Rule[]): KubeObject[] {
  const { kind, name, namespace, operatorNamespace } = place;
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const account = { kind: "ServiceAccount", name: "lockstep", namespace: operatorNamespace };
  return [
    { apiVersion, kind, metadata, rules: rules.map(ruleObject) },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
      subjects: [account],
    },
  ];
}

const ruleObject = ({ group, resources, verbs, names }: Rule): object => ({
  apiGroups: [group],
  resources,
  verbs,
  ...(names === undefined ? {} : { resourceNames: names }),
});
