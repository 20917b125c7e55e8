/** Which changes of a stored pod are allowed: a few fields, and fewer eligible nodes while it is gated. */
import { forbidden, invalid, required, type FieldError } from "../../api/field-error.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { rangeProblem } from "../../api/problem-text.ts";
import type {
  NodeAffinity,
  NodeRequirement,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  Toleration,
} from "./pod-types.ts";

const maxInt32 = 2_147_483_647;
const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");
const hard = "requiredDuringSchedulingIgnoredDuringExecution";

export function validatePodSpecUpdate(pod: Pod, old: Pod): FieldError[] {
  const shape = [
    ...validateContainerCount(pod.spec, old.spec, "containers"),
    ...validateContainerCount(pod.spec, old.spec, "initContainers"),
  ];
  if (shape.some((error) => error.type === "Forbidden")) return shape;
  const deadline = validateDeadline(pod.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds);
  if (deadline.length > 0) return [...shape, ...deadline];
  const errors = [
    ...shape,
    ...validateAddedTolerations(pod.spec.tolerations ?? [], old.spec.tolerations ?? []),
    ...validateRemovedGates(pod.spec, old.spec),
  ];
  if (semanticallyEqual(pod.spec, old.spec)) return errors;
  if (isGated(old.spec)) errors.push(...validateNarrowing(pod.spec, old.spec));
  if (semanticallyEqual(withAllowedChangesUndone(pod.spec, old.spec), old.spec)) return errors;
  const detail = `pod updates may not change fields other than ${updatable}`;
  return [...errors, forbidden("spec", detail)];
}

function validateContainerCount(
  spec: PodSpec,
  old: PodSpec,
  list: "containers" | "initContainers",
): FieldError[] {
  const containers = spec[list] ?? [];
  if (containers.length !== (old[list] ?? []).length) {
    return [forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
  }
  return containers.flatMap(({ image = "" }, index) => {
    const path = `spec.${list}[${index}].image`;
    if (image === "") return [required(path)];
    if (image === image.trim()) return [];
    return [invalid(path, image, "must not have leading or trailing whitespace")];
  });
}

/** A deadline may be added or brought forward, never put off. */
function validateDeadline(seconds: number | undefined, old: number | undefined): FieldError[] {
  const path = "spec.activeDeadlineSeconds";
  if (seconds === undefined) {
    if (old === undefined) return [];
    return [invalid(path, null, "must not update from a positive integer to nil value")];
  }
  if (seconds < 0 || seconds > maxInt32) return [invalid(path, seconds, rangeProblem(0, maxInt32))];
  if (old === undefined || seconds <= old) return [];
  return [invalid(path, seconds, "must be less than or equal to previous value")];
}

function validateAddedTolerations(
  tolerations: readonly Toleration[],
  old: readonly Toleration[],
): FieldError[] {
  // Compared by their text: a pod may have forty thousand.
  const now = new Set(tolerations.map(identityOf));
  if (old.every((before) => now.has(identityOf(before)))) return [];
  const detail = "existing toleration can not be modified except its tolerationSeconds";
  return [forbidden("spec.tolerations", detail)];
}

const identityOf = ({ key, operator, value, effect }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

function validateRemovedGates(spec: PodSpec, old: PodSpec): FieldError[] {
  const known = new Set((old.schedulingGates ?? []).map((gate) => gate.name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) => {
    if (known.has(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbidden(`spec.schedulingGates[${index}].name`, detail)];
  });
}

export function isGated(spec: PodSpec): boolean {
  return (spec.schedulingGates ?? []).length > 0;
}

function validateNarrowing(spec: PodSpec, old: PodSpec): FieldError[] {
  const selector = spec.nodeSelector ?? {};
  const kept = Object.entries(old.nodeSelector ?? {}).every(
    ([key, value]) => selector[key] === value,
  );
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [
    ...(kept ? [] : [invalid("spec.nodeSelector", selector, detail)]),
    ...validateNodeAffinityNarrowing(spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity),
  ];
}

function validateNodeAffinityNarrowing(
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
): FieldError[] {
  const oldTerms = old?.[hard]?.nodeSelectorTerms ?? [];
  const terms = affinity?.[hard]?.nodeSelectorTerms ?? [];
  const path = `spec.affinity.nodeAffinity.${hard}.nodeSelectorTerms`;
  if (oldTerms.length === 0) return [];
  if (oldTerms.length !== terms.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [invalid(path, terms.map(shownTerm), detail)];
  }
  return oldTerms.flatMap((oldTerm, index) => {
    const term = terms[index] ?? {};
    if (hasOnlyAdditions(term, oldTerm)) return [];
    const detail = "only additions are allowed (no mutations or deletions)";
    return [invalid(`${path}[${index}]`, shownTerm(term), detail)];
  });
}

/** Messages about terms show them under the server's own field names. */
function shownTerm(term: NodeSelectorTerm): object {
  const shown = (requirements: readonly NodeRequirement[] | undefined): object[] | null =>
    requirements?.map(({ key, operator, values }) => ({
      Key: key,
      Operator: operator,
      Values: values ?? null,
    })) ?? null;
  return { MatchExpressions: shown(term.matchExpressions), MatchFields: shown(term.matchFields) };
}

/** Terms are joined by "or", requirements by "and", so only additional requirements mean fewer nodes. */
function hasOnlyAdditions(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  // An empty term matches no node, so adding requirements to it would allow more nodes.
  if (lists.every((list) => (old[list] ?? []).length === 0)) {
    return lists.every((list) => (term[list] ?? []).length === 0);
  }
  return lists.every((list) => {
    const before = old[list] ?? [];
    return semanticallyEqual((term[list] ?? []).slice(0, before.length), before);
  });
}

function withAllowedChangesUndone(spec: PodSpec, old: PodSpec): PodSpec {
  const undone: PodSpec = {
    ...spec,
    containers: withOldImages(spec, old, "containers"),
    initContainers: withOldImages(spec, old, "initContainers"),
    activeDeadlineSeconds: old.activeDeadlineSeconds,
    schedulingGates: old.schedulingGates,
    tolerations: old.tolerations,
  };
  const wasNegative = (old.terminationGracePeriodSeconds ?? 0) < 0;
  if (wasNegative && spec.terminationGracePeriodSeconds === 1) {
    undone.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds;
  }
  if (!isGated(old)) return undone;
  undone.nodeSelector = old.nodeSelector;
  const { nodeAffinity: _narrowed, ...others } = spec.affinity ?? {};
  const affinity = { ...others, nodeAffinity: old.affinity?.nodeAffinity };
  const isEmpty = Object.values(affinity).every((part) => part === undefined);
  undone.affinity = isEmpty && old.affinity === undefined ? undefined : affinity;
  return undone;
}

function withOldImages(
  spec: PodSpec,
  old: PodSpec,
  list: "containers" | "initContainers",
): PodSpec["containers"] {
  return (spec[list] ?? []).map((container, index) => ({
    ...container,
    image: old[list]?.[index]?.image,
  }));
}
