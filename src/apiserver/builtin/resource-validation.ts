/** Value rules of resource requests and limits. */
import { forbidden, invalid, required, type FieldError } from "../../api/field-error.ts";
import { qualifiedNameProblems } from "../../api/label-syntax.ts";
import { negativeProblem } from "../../api/problem-text.ts";
import { compareQuantities, milliUnits, quantity } from "../../api/quantity.ts";
import type { ResourceList, ResourceRequirements } from "./pod-types.ts";

const hugePagesPrefix = "hugepages-";
const ofContainers = new Set(["cpu", "memory", "ephemeral-storage"]);
const countedWhole = new Set([
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);
const standard = new Set([...ofContainers, "storage", ...countedWhole]);

export function validateResources(
  resources: ResourceRequirements | undefined,
  path: string,
  claimNames: ReadonlySet<string> = new Set(),
): FieldError[] {
  const limits = resources?.limits ?? {};
  const requests = resources?.requests ?? {};
  const errors = [
    ...Object.entries(limits).flatMap(([name, amount]) =>
      validateAmount(name, amount, `${path}.limits[${name}]`),
    ),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...validateAmount(name, amount, `${path}.requests[${name}]`),
      ...validateAgainstLimit({ name, amount, limit: limits[name] }, path),
    ]),
  ];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === "cpu" || name === "memory")) {
    errors.push(forbidden(path, "HugePages require cpu or memory"));
  }
  return [...errors, ...validateClaims(resources?.claims ?? [], `${path}.claims`, claimNames)];
}

export function validateResourceList(list: ResourceList, path: string): FieldError[] {
  return Object.entries(list).flatMap(([name, amount]) =>
    validateAmount(name, amount, `${path}[${name}]`),
  );
}

/** Quantities are never negative, and indivisible resources are integers. */
export function validateResourceAmount(name: string, amount: string, path: string): FieldError[] {
  const value = quantity(amount);
  const errors: FieldError[] = [];
  if (value.nanos < 0n) errors.push(invalid(path, amount, negativeProblem));
  if (isCountedWhole(name) && milliUnits(value) % 1000n !== 0n) {
    errors.push(invalid(path, amount, "must be an integer"));
  }
  return errors;
}

/** Resources that can be overcommitted, like cpu; the others are allocated whole. */
export function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

function validateAmount(name: string, amount: string, path: string): FieldError[] {
  const errors = [
    ...validateContainerResourceName(name, path),
    ...validateResourceAmount(name, amount, path),
  ];
  if (isHugePages(name) && !isWholePages(name, amount)) {
    errors.push(invalid(path, amount, `${amount} is not positive integer multiple of ${name}`));
  }
  return errors;
}

function validateAgainstLimit(
  request: { name: string; amount: string; limit: string | undefined },
  path: string,
): FieldError[] {
  const { name, amount, limit } = request;
  const overcommit = isOvercommitAllowed(name);
  if (limit === undefined) {
    if (overcommit) return [];
    return [required(`${path}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const order = compareQuantities(quantity(amount), quantity(limit));
  if (order !== 0 && !overcommit) {
    const detail = `must be equal to ${name} limit of ${limit}`;
    return [invalid(`${path}.requests`, amount, detail)];
  }
  if (order <= 0) return [];
  const detail = `must be less than or equal to ${name} limit of ${limit}`;
  return [invalid(`${path}.requests`, amount, detail)];
}

function validateContainerResourceName(name: string, path: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalid(path, name, problem));
  if (name.includes("/")) {
    if (isNative(name) || isExtendedName(name)) return [];
    return [invalid(path, name, "doesn't follow extended resource name standard")];
  }
  const errors: FieldError[] = [];
  if (!standard.has(name) && !isHugePages(name)) {
    errors.push(invalid(path, name, "must be a standard resource type or fully qualified"));
  }
  if (!ofContainers.has(name) && !isHugePages(name)) {
    errors.push(invalid(path, name, "must be a standard resource for containers"));
  }
  return errors;
}

function validateClaims(
  claims: readonly { name: string; request?: string }[],
  path: string,
  known: ReadonlySet<string>,
): FieldError[] {
  const seen = new Set<string>();
  return claims.flatMap((claim, index): FieldError[] => {
    if (claim.name === "") return [required(`${path}[${index}]`)];
    const key = claim.request === undefined ? claim.name : `${claim.name}/${claim.request}`;
    if (seen.has(key)) return [{ type: "Duplicate", field: `${path}[${index}]`, value: key }];
    seen.add(key);
    if (known.has(claim.name)) return [];
    return [{ type: "NotFound", field: `${path}[${index}]`, value: claim.name }];
  });
}

function isHugePages(name: string): boolean {
  return name.startsWith(hugePagesPrefix);
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

function isExtendedName(name: string): boolean {
  return !isNative(name) && !name.startsWith("requests.");
}

function isCountedWhole(name: string): boolean {
  return countedWhole.has(name) || isExtendedName(name);
}

function isWholePages(name: string, amount: string): boolean {
  const page = quantity(name.slice(hugePagesPrefix.length)).nanos;
  const size = quantity(amount).nanos;
  return page > 0n && size % page === 0n;
}
