/** POST on pods/binding: how a scheduler assigns a pod to a node. */
import type { KubeObject } from "../../api/object.ts";
import type { Context } from "../context.ts";
import { timestamp } from "../context.ts";
import { conflict, internalError } from "../errors.ts";
import { answerValue } from "../request.ts";
import type { Answer, ApiRequest, Route } from "../request.ts";
import { decodeBinding } from "./binding-body.ts";
import { isDryRun } from "./body.ts";
import { findOrRefuse, replace } from "./update.ts";

export function bindAt(context: Context, route: Route, request: ApiRequest): Answer {
  const binding = decodeBinding(route, request);
  const pod = findOrRefuse(context, route);
  const name = route.name ?? "";
  const why = obstacle(pod, binding.uid);
  if (why !== undefined) throw conflict({ group: "", plural: "pods/binding" }, name, why);
  if (binding.node === "") throw internalError("a binding needs the name of its target");
  replace(context, route, boundForm(context, pod, binding), isDryRun(request));
  return answerValue(
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
    201,
  );
}

interface PodSpec {
  readonly nodeName?: string;
  readonly schedulingGates?: readonly unknown[];
}

interface PodStatus {
  readonly conditions?: readonly { readonly type: string }[];
}

function obstacle(pod: KubeObject, uid: string | undefined): string | undefined {
  const { name, deletionTimestamp } = pod.metadata;
  const spec = (pod["spec"] ?? {}) as PodSpec;
  if (uid !== undefined && uid !== pod.metadata.uid) {
    return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid}`;
  }
  if (deletionTimestamp !== undefined) {
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  }
  if ((spec.nodeName ?? "") !== "") {
    return `pod ${name} is already assigned to node "${spec.nodeName}"`;
  }
  if ((spec.schedulingGates ?? []).length > 0) {
    return `pod ${name} has non-empty .spec.schedulingGates`;
  }
  return undefined;
}

function boundForm(
  context: Context,
  pod: KubeObject,
  { node, annotations, labels }: ReturnType<typeof decodeBinding>,
): KubeObject {
  const { metadata } = pod;
  const status = (pod["status"] ?? {}) as PodStatus;
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(context),
  };
  const others = (status.conditions ?? []).filter((one) => one.type !== scheduled.type);
  return {
    ...pod,
    metadata: {
      ...metadata,
      ...(labels && { labels: { ...metadata.labels, ...labels } }),
      ...(annotations && { annotations: { ...metadata.annotations, ...annotations } }),
    },
    spec: { ...(pod["spec"] as PodSpec), nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  };
}
