/** Tables of StatefulSets, Deployments, ReplicaSets, their revisions and their budgets. */
import type { KubeObject, OwnerReference } from "../../api/object.ts";
import type { LabelSelector } from "../../api/label-selector.ts";
import { selectorText } from "../../api/label-selector.ts";
import { age, containerColumns, name, orNone, printer, shown, wide } from "./columns.ts";
import type { NamedImage } from "./columns.ts";

interface Workload extends KubeObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: { readonly spec?: { readonly containers?: readonly NamedImage[] } };
  };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

const containersOf = ({ spec }: Workload): readonly NamedImage[] =>
  spec.template?.spec?.containers ?? [];

const ready = shown<Workload>("Ready", "Ready pods, of all desired.", ({ spec, status }) => {
  return `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`;
});

const selector = (whenEmpty: (text: string) => string) =>
  wide<Workload>("Selector", "Labels of its pods.", ({ spec }) =>
    whenEmpty(selectorText(spec.selector)),
  );

export const statefulSetPrinter = printer<Workload>(
  name,
  ready,
  age,
  ...containerColumns(containersOf),
);

export const deploymentPrinter = printer<Workload>(
  name,
  ready,
  shown("Up-to-date", "Pods of the current template.", (item) => item.status?.updatedReplicas ?? 0),
  shown("Available", "Pods that have been ready long enough.", ({ status }) => {
    return status?.availableReplicas ?? 0;
  }),
  age,
  ...containerColumns(containersOf),
  selector((text) => text),
);

export const replicaSetPrinter = printer<Workload>(
  name,
  shown("Desired", "Pods asked for.", ({ spec }) => spec.replicas ?? 0, "integer"),
  shown("Current", "Pods there are.", ({ status }) => status?.replicas ?? 0, "integer"),
  shown("Ready", "Pods that are ready.", ({ status }) => status?.readyReplicas ?? 0, "integer"),
  age,
  ...containerColumns(containersOf),
  selector(orNone),
);

interface ControllerRevision extends KubeObject {
  readonly revision?: number;
}

/** `statefulset.apps/web`. */
function ownerText(owner: OwnerReference | undefined): string {
  if (owner === undefined) return "<none>";
  const slash = owner.apiVersion.indexOf("/");
  const group = slash < 0 ? "" : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind}${group}`.toLowerCase() + `/${owner.name}`;
}

export const controllerRevisionPrinter = printer<ControllerRevision>(
  name,
  shown("Controller", "Whose revision it is.", ({ metadata }) =>
    ownerText(metadata.ownerReferences?.find((owner) => owner.controller)),
  ),
  shown("Revision", "Its number; the highest is the newest.", ({ revision }) => revision ?? 0),
  age,
);

interface DisruptionBudget extends KubeObject {
  readonly spec?: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
  };
  readonly status?: { readonly disruptionsAllowed?: number };
}

export const disruptionBudgetPrinter = printer<DisruptionBudget>(
  name,
  shown("Min Available", "Pods that must stay available.", ({ spec }) =>
    String(spec?.minAvailable ?? "N/A"),
  ),
  shown("Max Unavailable", "Pods that may be down.", ({ spec }) =>
    String(spec?.maxUnavailable ?? "N/A"),
  ),
  shown(
    "Allowed Disruptions",
    "Pods that may be evicted now.",
    ({ status }) => status?.disruptionsAllowed ?? 0,
    "integer",
  ),
  age,
);
