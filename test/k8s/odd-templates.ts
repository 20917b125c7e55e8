/** Pod templates whose recorded form is easy to get wrong, one set each. */
import type { PodTemplate } from "../../src/api/apps.ts";

const template = (
  name: string,
  spec: Record<string, unknown>,
  metadata: Record<string, unknown> = {},
  container: Record<string, unknown> = {},
): PodTemplate => ({
  metadata: { labels: { app: name }, ...metadata },
  spec: { containers: [{ name: "app", image: "web:v1", ...container }], ...spec },
});

export const oddTemplates: Readonly<Record<string, PodTemplate>> = {
  "integer-keys": template(
    "integer-keys",
    {},
    { annotations: { "9": "a", "10": "b", A: "c", a: "d" } },
  ),
  "html-text": template(
    "html-text",
    {},
    { annotations: { text: '<a>&b \u2028\u2029 \u00fc \u{1f600} "\\ \t' } },
  ),
  quantities: template(
    "quantities",
    {},
    {},
    {
      resources: {
        requests: { cpu: "1e3", memory: "1e8", "example.com/part": "5" },
        limits: { cpu: "1000", memory: "0.5Gi", "example.com/part": "5" },
      },
    },
  ),
  account: template("account", {
    serviceAccountName: "default",
    automountServiceAccountToken: false,
  }),
  "host-network": template(
    "host-network",
    { hostNetwork: true, hostPID: false },
    {},
    {
      ports: [{ containerPort: 8080 }],
    },
  ),
  probes: template(
    "probes",
    { terminationGracePeriodSeconds: 0 },
    {},
    {
      livenessProbe: { httpGet: { port: 80, path: "/?a=1&b=2" }, initialDelaySeconds: 0 },
      readinessProbe: { exec: { command: ["true"] } },
      lifecycle: { preStop: { exec: { command: ["sleep", "1"] } } },
    },
  ),
  volumes: template(
    "volumes",
    {
      volumes: [
        { name: "a", emptyDir: {} },
        { name: "b", configMap: { name: "c", items: [{ key: "k", path: "p" }] } },
        { name: "d", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      ],
    },
    {},
    {
      volumeMounts: [{ name: "a", mountPath: "/a", readOnly: false }],
      env: [{ name: "E", value: "" }],
    },
  ),
  affinity: template("affinity", {
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "zone", labelSelector: { matchLabels: { app: "affinity" } } },
        ],
      },
    },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" },
    ],
    tolerations: [{ key: "a", operator: "Exists", tolerationSeconds: 0, effect: "NoExecute" }],
  }),
};
