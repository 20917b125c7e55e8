/** The rules of namespaces, nodes and service accounts. */
import { dns1123LabelProblems } from "../../api/dns-name.ts";
import { duplicate, forbidden, invalid, required, type FieldError } from "../../api/field-error.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import {
  labelValueProblems,
  qualifiedNameProblems,
  validateLabelKey,
} from "../../api/label-syntax.ts";
import type { KubeObject } from "../../api/object.ts";
import { kindRules } from "./kind-rules.ts";
import type { ResourceList } from "./pod-types.ts";
import { defaultResourceList } from "./resource-defaults.ts";
import { validateResourceAmount } from "./resource-validation.ts";
import { validateTaintEffect } from "./scheduling-validation.ts";

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string };
}

const namespaceFinalizer = "kubernetes";

export const namespaceRules = kindRules<Namespace>({
  checkName: dns1123LabelProblems,
  initialStatus: () => ({ phase: "Active" }),
  applyDefaults(draft) {
    draft.spec ??= {};
    draft.status ??= {};
    draft.status.phase ||= "Active";
    const { name } = draft.metadata;
    if (name === undefined || name === "") return;
    draft.metadata.labels = { ...draft.metadata.labels, "kubernetes.io/metadata.name": name };
  },
  prepare(draft, old) {
    if (old !== undefined) {
      draft.spec = old.spec;
      return;
    }
    const given = draft.spec?.finalizers ?? [];
    if (given.includes(namespaceFinalizer)) return;
    draft.spec = { ...draft.spec, finalizers: [...given, namespaceFinalizer] };
  },
  validate: ({ spec }) =>
    (spec?.finalizers ?? []).flatMap((name) =>
      qualifiedNameProblems(name).map((problem) => invalid("spec.finalizers", name, problem)),
    ),
  validateStatus(draft) {
    const phase = draft.status?.phase ?? "";
    const isTerminating = draft.metadata.deletionTimestamp !== undefined;
    const wanted = isTerminating ? "Terminating" : "Active";
    if (phase === wanted) return [];
    const when = isTerminating ? "is not empty" : "is empty";
    const detail = `may only be '${wanted}' if \`deletionTimestamp\` ${when}`;
    return [invalid("status.Phase", phase, detail)];
  },
});

interface Taint {
  key: string;
  value?: string;
  effect: string;
}

interface Node extends KubeObject {
  spec?: { taints?: Taint[]; podCIDR?: string; podCIDRs?: string[]; providerID?: string };
  status?: { capacity?: ResourceList; allocatable?: ResourceList; addresses?: object[] };
}

export const nodeRules = kindRules<Node>({
  applyDefaults(draft) {
    draft.spec ??= {};
    const status = (draft.status ??= {});
    defaultResourceList(status.capacity);
    defaultResourceList(status.allocatable);
    if (status.capacity !== undefined) status.allocatable ??= { ...status.capacity };
    joinCidrs(draft.spec);
  },
  prepare(draft, old) {
    // Nodes register with their status; later it is written through its subresource.
    if (old !== undefined) draft.status = old.status;
  },
  validate: validateNode,
  validateChange: ({ spec = {} }, { spec: old = {} }) => {
    const errors: FieldError[] = [];
    if ((old.podCIDRs ?? []).length > 0 && !semanticallyEqual(old.podCIDRs, spec.podCIDRs)) {
      const detail = 'node updates may not change podCIDR except from "" to valid';
      errors.push(forbidden("spec.podCIDRs", detail));
    }
    if ((old.providerID ?? "") !== "" && old.providerID !== spec.providerID) {
      const detail = 'node updates may not change providerID except from "" to valid';
      errors.push(forbidden("spec.providerID", detail));
    }
    return errors;
  },
  validateStatus: validateNode,
});

export const serviceAccountRules = kindRules({});

function joinCidrs(spec: NonNullable<Node["spec"]>): void {
  const first = spec.podCIDRs?.[0];
  if ((spec.podCIDR ?? "") === "" && first !== undefined) spec.podCIDR = first;
  if ((spec.podCIDR ?? "") !== "" && first === undefined) spec.podCIDRs = [spec.podCIDR ?? ""];
}

function validateNode({ spec = {}, status = {} }: Node): FieldError[] {
  const amounts = (["capacity", "allocatable"] as const).flatMap((list) =>
    Object.entries(status[list] ?? {}).flatMap(([name, amount]) =>
      validateResourceAmount(name, amount, `status.${list}.${name}`),
    ),
  );
  const addresses = status.addresses ?? [];
  const repeated = addresses.flatMap((address, index) =>
    addresses.slice(0, index).some((earlier) => semanticallyEqual(earlier, address))
      ? [duplicate(`status.addresses[${index}]`, address)]
      : [],
  );
  return [...validateTaints(spec.taints ?? []), ...amounts, ...repeated];
}

function validateTaints(taints: readonly Taint[]): FieldError[] {
  return taints.flatMap((taint, index) => {
    const path = `metadata.taints[${index}]`;
    const errors = validateLabelKey(taint.key, `${path}.key`);
    const problems = labelValueProblems(taint.value ?? "");
    if (problems.length > 0) {
      errors.push(invalid(`${path}.value`, taint.value, problems.join(";")));
    }
    if (taint.effect === "") errors.push(required(`${path}.effect`));
    else errors.push(...validateTaintEffect(taint.effect, `${path}.effect`));
    const taken = taints
      .slice(0, index)
      .some((earlier) => earlier.key === taint.key && earlier.effect === taint.effect);
    if (!taken) return errors;
    const detail = "taints must be unique by key and effect pair";
    const shown = {
      Key: taint.key,
      Value: taint.value ?? "",
      Effect: taint.effect,
      TimeAdded: null,
    };
    return [...errors, { type: "Duplicate" as const, field: path, value: shown, detail }];
  });
}
