/**
 * Writes the defaults of a PodCliqueSet that depend on its other fields back into its spec, where the API server
 * serves MutatingAdmissionPolicies. Lockstep itself does without: it works from the same defaults when it reads a set.
 */
import type { KubeObject } from "../object.ts";
import type { Resource } from "../resource.ts";
import { apiVersionOf } from "../resource.ts";
import { podCliqueSetResource } from "./podcliqueset.ts";

const policies: Resource = {
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural: "mutatingadmissionpolicies",
  kind: "MutatingAdmissionPolicy",
  namespaced: false,
};
const bindings: Resource = {
  ...policies,
  plural: "mutatingadmissionpolicybindings",
  kind: "MutatingAdmissionPolicyBinding",
};

const apiVersion = apiVersionOf(policies);
const metadata = { name: "podcliqueset-defaults.lockstep.dev" };

const size = (clique: string): string =>
  `has(${clique}.spec.replicas) && ${clique}.spec.replicas > 0 ? ${clique}.spec.replicas : 1`;

/** What was there before counts for a field that cannot be changed, whatever `replicas` is now. */
const variables = [
  {
    name: "sizes",
    expression: `object.spec.template.cliques.transformMapEntry(i, c, {c.name: ${size("c")}})`,
  },
  {
    name: "minimums",
    expression:
      "oldObject == null ? {} : oldObject.spec.template.cliques.transformMapEntry(i, c, " +
      `{c.name: has(c.spec.minAvailable) ? c.spec.minAvailable : (${size("c")})})`,
  },
];

const defaults = `Object{
  spec: Object.spec{
    template: Object.spec.template{
      cliques: object.spec.template.cliques.map(c, Object.spec.template.cliques{
        name: c.name,
        spec: Object.spec.template.cliques.spec{
          replicas: variables.sizes[c.name],
          minAvailable: has(c.spec.minAvailable) ? c.spec.minAvailable :
            (c.name in variables.minimums ? variables.minimums[c.name] : variables.sizes[c.name]),
          podSpec: Object.spec.template.cliques.spec.podSpec{
            restartPolicy: has(c.spec.podSpec.restartPolicy) ? c.spec.podSpec.restartPolicy : "Always",
            terminationGracePeriodSeconds: has(c.spec.podSpec.terminationGracePeriodSeconds) ?
              c.spec.podSpec.terminationGracePeriodSeconds : 30
          },
          ?autoScalingConfig: !has(c.spec.autoScalingConfig) || has(c.spec.autoScalingConfig.minReplicas) ?
            optional.none() : optional.of(Object.spec.template.cliques.spec.autoScalingConfig{
              minReplicas: variables.sizes[c.name]
            })
        }
      }),
      ?podCliqueScalingGroups: !has(object.spec.template.podCliqueScalingGroups) ? optional.none() :
        optional.of(object.spec.template.podCliqueScalingGroups.map(g, Object.spec.template.podCliqueScalingGroups{
          name: g.name,
          ?scaleConfig: !has(g.scaleConfig) || has(g.scaleConfig.minReplicas) ? optional.none() :
            optional.of(Object.spec.template.podCliqueScalingGroups.scaleConfig{minReplicas: g.replicas})
        }))
    }
  }
}
`;

export const podCliqueSetDefaultPolicy: readonly KubeObject[] = [
  {
    apiVersion,
    kind: policies.kind,
    metadata,
    spec: {
      // A set without them is read with the same defaults, so it is not refused for want of them.
      failurePolicy: "Ignore",
      reinvocationPolicy: "Never",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [podCliqueSetResource.group],
            apiVersions: [podCliqueSetResource.version],
            operations: ["CREATE", "UPDATE"],
            resources: [podCliqueSetResource.plural],
          },
        ],
      },
      variables,
      mutations: [
        { patchType: "ApplyConfiguration", applyConfiguration: { expression: defaults } },
      ],
    },
  },
  {
    apiVersion,
    kind: bindings.kind,
    metadata,
    spec: { policyName: metadata.name },
  },
];

/** Where the two are found, in the order in which they are removed: what binds a policy goes before it. */
export const defaultPolicyPlaces: readonly {
  readonly resource: Resource;
  readonly name: string;
}[] = [bindings, policies].map((resource) => ({ resource, name: metadata.name }));
