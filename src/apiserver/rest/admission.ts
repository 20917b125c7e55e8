/** What Kubernetes' standard admission plugins do to objects before their own rules see them. */
import type { KubeObject } from "../../api/object.ts";
import { groupResource } from "../../api/resource.ts";
import type { PodSpec } from "../builtin/pod-types.ts";
import type { PriorityClass } from "../builtin/priority.ts";
import { applyPriority } from "../builtin/priority.ts";
import { allocateAddresses, needsAddresses } from "../builtin/service-addresses.ts";
import type { Service } from "../builtin/service-types.ts";
import type { Context } from "../context.ts";
import { forbidden, invalid, notFound } from "../errors.ts";
import type { ServedResource } from "../served-resource.ts";

/** Keeps a claim while a pod uses it. */
export const claimFinalizer = "kubernetes.io/pvc-protection";

const namespaces = { group: "", plural: "namespaces" };

type Admit = (context: Context, resource: ServedResource, draft: KubeObject) => void;

/** Before the kind's rules prepare and check a new object. */
const beforeRules: Readonly<Record<string, Admit>> = {
  pods: prioritize,
  nodes: (_context, _resource, draft) => taintNewNode(draft),
  persistentvolumeclaims: (_context, _resource, draft) => protectClaim(draft),
};

export function admitCreate(context: Context, resource: ServedResource, draft: KubeObject): void {
  admitNamespace(context, resource, draft);
  beforeRules[groupResource(resource)]?.(context, resource, draft);
}

/** Before the kind's rules see a changed object: what was admitted once stays as it was. */
export function admitUpdate(resource: ServedResource, draft: KubeObject, old: KubeObject): void {
  if (groupResource(resource) !== "pods") return;
  const spec = draft["spec"] as PodSpec;
  const { priority, preemptionPolicy } = old["spec"] as PodSpec;
  if (priority !== undefined) spec.priority ??= priority;
  if (preemptionPolicy !== undefined) spec.preemptionPolicy ??= preemptionPolicy;
}

/** Runs after an object has passed its rules, so that scarce resources are allocated last. */
export function allocate(context: Context, resource: ServedResource, draft: KubeObject): void {
  if (groupResource(resource) !== "services") return;
  const { uid, name = "" } = draft.metadata;
  // Headless services may be many and need no address; the number of others is limited by the addresses.
  if (!needsAddresses(draft as Service)) return;
  const services = context.store.collection("services").list({}) as readonly Service[];
  const others = services.filter((service) => service.metadata.uid !== uid);
  const errors = allocateAddresses(draft as Service, others);
  if (errors.length > 0) throw invalid(resource, name, errors);
}

function admitNamespace(context: Context, resource: ServedResource, draft: KubeObject): void {
  const { namespace, name = "" } = draft.metadata;
  if (!resource.namespaced || namespace === undefined) return;
  const found = context.store.collection("namespaces").get(namespace);
  if (found === undefined) throw notFound(namespaces, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resource, name, why, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}

function prioritize(context: Context, resource: ServedResource, draft: KubeObject): void {
  const classes = context.store.collection("priorityclasses.scheduling.k8s.io").list({});
  const why = applyPriority(draft["spec"] as PodSpec, classes as readonly PriorityClass[]);
  if (why !== undefined) throw forbidden(resource, draft.metadata.name ?? "", why);
}

/** A new node is tainted until it reports that it is ready. */
function taintNewNode(draft: KubeObject): void {
  const spec = (draft["spec"] ?? {}) as { taints?: readonly { readonly key: string }[] };
  const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  const taints = spec.taints ?? [];
  if (taints.some(({ key }) => key === taint.key)) return;
  draft["spec"] = { ...spec, taints: [...taints, taint] };
}

function protectClaim({ metadata }: KubeObject): void {
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(claimFinalizer)) metadata.finalizers = [...finalizers, claimFinalizer];
}
