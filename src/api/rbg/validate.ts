/** What an API server may have let through: checked at every reconcile and in previews. */
import type { FieldError } from "../field-error.ts";
import { invalid, required } from "../field-error.ts";
import type { AffinityCoordination, Coordination } from "./coordination.ts";
import { isAffinity, isRolling } from "./coordination.ts";
import type { DefaultedGroupSpec, DefaultedRole } from "./defaults.ts";
import { withDefaults } from "./defaults.ts";
import { nameBudget } from "./names.ts";
import type { RoleBasedGroup, RoleBasedGroupSpec } from "./rolebasedgroup.ts";

export type CheckedGroup = Pick<RoleBasedGroup, "spec"> & {
  readonly metadata?: RoleBasedGroup["metadata"];
};

/** Empty where the group can be run. */
export function validateRoleBasedGroup(group: CheckedGroup): readonly FieldError[] {
  const spec = withDefaults(group.spec);
  return [
    ...nameErrors(group),
    ...templateErrors(group.spec, spec),
    ...dependencyErrors(spec.roles),
    ...coordinationErrors(group.spec, spec),
  ];
}

function nameErrors({ metadata, spec }: CheckedGroup): FieldError[] {
  const { name = "" } = metadata ?? {};
  return spec.roles.flatMap((role, index) =>
    name.length + role.name.length <= nameBudget
      ? []
      : [
          invalid(
            `spec.roles[${index}].name`,
            role.name,
            `with metadata.name it is longer than ${nameBudget} characters: shorten one of them`,
          ),
        ],
  );
}

function templateErrors(
  written: RoleBasedGroupSpec,
  { roles }: DefaultedGroupSpec,
): readonly FieldError[] {
  const templates = new Set((written.roleTemplates ?? []).map(({ name }) => name));
  return roles.flatMap((role, index) => {
    const reference = written.roles[index]?.templateRef?.name;
    if (reference !== undefined && !templates.has(reference)) {
      const detail = "is not in roleTemplates: add the template or correct the name";
      return [invalid(`spec.roles[${index}].templateRef.name`, reference, detail)];
    }
    if ((role.template.spec?.containers ?? []).length > 0) return [];
    const field = reference === undefined ? "template" : "templateRef";
    return [
      required(`spec.roles[${index}].${field}`, "the pods have no containers: add at least one"),
    ];
  });
}

function dependencyErrors(roles: readonly DefaultedRole[]): FieldError[] {
  const known = new Map(roles.map((role) => [role.name, role]));
  const unknown = roles.flatMap(({ dependencies }, index) =>
    dependencies
      .filter((name) => !known.has(name))
      .map((name) =>
        invalid(
          `spec.roles[${index}].dependencies`,
          name,
          "is not in roles: add the role or correct the name",
        ),
      ),
  );
  if (unknown.length > 0) return unknown;
  const cycle = findCycle(known);
  if (cycle === undefined) return [];
  const index = roles.findIndex(({ name }) => name === cycle[0]);
  const path = cycle.join(" after ");
  const detail = `roles wait for each other (${path}): remove one of the dependencies`;
  return [
    invalid(`spec.roles[${index}].dependencies`, known.get(cycle[0] ?? "")?.dependencies, detail),
  ];
}

/** The first cycle, beginning and ending with the same role. */
function findCycle(roles: ReadonlyMap<string, DefaultedRole>): readonly string[] | undefined {
  const finished = new Set<string>();
  const follow = (name: string, path: readonly string[]): readonly string[] | undefined => {
    const seenAt = path.indexOf(name);
    if (seenAt >= 0) return [...path.slice(seenAt), name];
    if (finished.has(name)) return undefined;
    for (const next of roles.get(name)?.dependencies ?? []) {
      const cycle = follow(next, [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    finished.add(name);
    return undefined;
  };
  for (const name of roles.keys()) {
    const cycle = follow(name, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}

function coordinationErrors(
  written: RoleBasedGroupSpec,
  { roles, coordinations }: DefaultedGroupSpec,
): FieldError[] {
  const byName = new Map(roles.map((role) => [role.name, role]));
  const pathOf = ({ name }: Coordination): string =>
    `spec.coordination[${(written.coordination ?? []).findIndex((each) => each.name === name)}]`;
  return coordinations.flatMap((coordination) => {
    const path = pathOf(coordination);
    const unknown = coordination.roles.filter((name) => !byName.has(name));
    if (unknown.length > 0) {
      const detail = "is not in roles: add the role or correct the name";
      return unknown.map((name) => invalid(`${path}.roles`, name, detail));
    }
    return [
      ...twiceErrors(coordination, coordinations, path),
      ...(isAffinity(coordination)
        ? batchErrors(coordination, byName, path)
        : rollingErrors(coordination, byName, { written, path })),
    ];
  });
}

function twiceErrors(
  { kind, name, roles }: Coordination,
  coordinations: readonly Coordination[],
  path: string,
): FieldError[] {
  const earlier = coordinations.slice(
    0,
    coordinations.findIndex((each) => each.name === name),
  );
  return roles.flatMap((role) => {
    const other = earlier.find((each) => each.kind === kind && each.roles.includes(role));
    if (other === undefined) return [];
    const detail = `is in ${other.name} too, which is of the same type: keep it in one of them`;
    return [invalid(`${path}.roles`, role, detail)];
  });
}

interface Written {
  readonly written: RoleBasedGroupSpec;
  readonly path: string;
}

function rollingErrors(
  coordination: Coordination,
  roles: ReadonlyMap<string, DefaultedRole>,
  { written, path }: Written,
): FieldError[] {
  if (!isRolling(coordination)) return [];
  const own = written.roles.flatMap((role, index) =>
    role.rolloutStrategy === undefined || !coordination.roles.includes(role.name)
      ? []
      : [
          invalid(
            `spec.roles[${index}].rolloutStrategy`,
            role.name,
            `${coordination.name} updates this role: remove it, and write maxUnavailable and partition there`,
          ),
        ],
  );
  const unordered = coordination.roles
    .filter((name) => roles.get(name)?.workload.kind === "Deployment")
    .map((name) =>
      invalid(
        `${path}.roles`,
        name,
        "is under Deployment, whose pods have no order to stop at: use StatefulSet, or take the role out",
      ),
    );
  if (coordination.maxSkew === undefined || coordination.steps === undefined) {
    return [...own, ...unordered];
  }
  const detail = "the steps already say what the skew is: remove one of them";
  return [...own, ...unordered, invalid(`${path}.strategy.maxSkew`, coordination.maxSkew, detail)];
}

/** Every role fills the same number of whole batches; which numbers would fit is said once for all. */
function batchErrors(
  { roles: members, ratios }: AffinityCoordination,
  roles: ReadonlyMap<string, DefaultedRole>,
  path: string,
): FieldError[] {
  const field = `${path}.strategy.affinityScheduling.ratios`;
  const names = Object.keys(ratios);
  if (names.length !== members.length || members.some((name) => ratios[name] === undefined)) {
    return [invalid(field, ratios, `name exactly the roles ${members.join(", ")}`)];
  }
  const batches = members.map((name) => (roles.get(name)?.replicas ?? 0) / (ratios[name] ?? 1));
  const full = Math.floor(Math.min(...batches));
  if (batches.every((count) => count === full)) return [];
  const fit = Math.max(1, full);
  const wanted = members.map((name) => `${name} ${fit * (ratios[name] ?? 1)}`).join(", ");
  const fix = `set replicas to ${wanted} (${fit} full batches), or change the ratios`;
  const detail = `some pods would be in no batch: ${fix}`;
  return [invalid(field, ratios, detail)];
}
