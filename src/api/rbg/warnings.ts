/** Settings of a RoleBasedGroup that are accepted and have no effect, in words for its owner. */
import { isZero } from "../int-or-percent.ts";
import { withDefaults } from "./defaults.ts";
import { exclusiveTopology } from "./labels.ts";
import type { RoleBasedGroupSpec } from "./rolebasedgroup.ts";
import type { CheckedGroup } from "./validate.ts";

export function warningsOf({ metadata, spec }: CheckedGroup): readonly string[] {
  return [
    ...(metadata?.annotations?.[exclusiveTopology] === undefined
      ? []
      : [
          `metadata.annotations[${exclusiveTopology}] has no effect: write podAntiAffinity into the templates, ` +
            "or place roles in batches by a coordination of type AffinityScheduling",
        ]),
    ...roleWarnings(spec),
  ];
}

function roleWarnings(spec: RoleBasedGroupSpec): readonly string[] {
  const { roles } = withDefaults(spec);
  return spec.roles.flatMap((role, index) => {
    const path = `spec.roles[${role.name}]`;
    const { type } = role.rolloutStrategy?.rollingUpdate ?? {};
    const defaulted = roles[index];
    const isSurging =
      defaulted?.workload.kind === "StatefulSet" && !isZero(defaulted.rollingUpdate.maxSurge);
    return [
      ...((role.engineRuntimes ?? []).length === 0
        ? []
        : [`${path}.engineRuntimes has no effect: write its containers into the template`]),
      ...(type === "InPlaceIfPossible"
        ? [`${path}.rolloutStrategy.rollingUpdate.type has no effect: pods are recreated`]
        : []),
      ...(isSurging
        ? [
            `${path}.rolloutStrategy.rollingUpdate.maxSurge has no effect under StatefulSet, ` +
              "whose pods have fixed names: use maxUnavailable",
          ]
        : []),
    ];
  });
}
