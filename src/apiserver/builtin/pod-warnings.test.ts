import { expect, test } from "vitest";
import { podWarnings } from "./pod-warnings.ts";
import type { PodSpec } from "./pod-types.ts";

const container = { name: "a", image: "b" };

/** Texts of a real server. */
const cases: Record<string, { given: PodSpec; want: string[] }> = {
  "nothing to say": { given: { containers: [container] }, want: [] },
  "an old label and a hidden variable": {
    given: {
      nodeSelector: { "beta.kubernetes.io/os": "linux" },
      containers: [
        {
          ...container,
          env: [
            { name: "A", value: "1" },
            { name: "A", value: "2" },
            { name: "A", value: "$(A):3" },
          ],
        },
      ],
    },
    want: [
      'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
    ],
  },
  "a nameless secret, a part of a byte and a port twice": {
    given: {
      imagePullSecrets: [{ name: "" }],
      containers: [
        {
          ...container,
          ports: [{ containerPort: 80 }, { containerPort: 80 }],
          resources: { requests: { memory: "100m" } },
        },
      ],
    },
    want: [
      'spec.imagePullSecrets[0].name: invalid empty name ""',
      'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
      "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
    ],
  },
  "an address twice, spread without selector and negative grace": {
    given: {
      hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }],
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "DoNotSchedule" },
      ],
      terminationGracePeriodSeconds: -1,
    },
    want: [
      "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod",
      'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
      "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1",
    ],
  },
};

test.each(Object.entries(cases))("%s", (_case, { given, want }) => {
  expect(podWarnings(given)).toEqual(want);
});

test("ten thousand equal ports get some warnings, not fifty million", () => {
  const ports = Array.from({ length: 10_000 }, () => ({ containerPort: 80, protocol: "TCP" }));
  expect(podWarnings({ containers: [{ name: "c", ports }] })).toHaveLength(100);
});
