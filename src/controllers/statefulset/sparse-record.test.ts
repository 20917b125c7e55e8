/** Records that leave out what the server fills in, row by row. */
import { expect, test } from "vitest";
import type { ControllerRevision } from "../../api/apps.ts";
import { statefulSetOf } from "../../../test/builders/stateful-set-scenario.ts";
import { chooseUpdateRevision } from "./revisions.ts";
import { isSameButDefaults } from "./sparse-record.ts";

const completed = {
  metadata: { labels: { app: "web" } },
  spec: {
    containers: [
      {
        name: "app",
        image: "web:v1",
        imagePullPolicy: "IfNotPresent",
        ports: [{ containerPort: 80, protocol: "TCP" }],
        readinessProbe: {
          httpGet: { path: "/", port: 80, scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
      },
    ],
    volumes: [{ name: "settings", configMap: { name: "settings", defaultMode: 420 } }],
    dnsPolicy: "ClusterFirst",
    restartPolicy: "Always",
    schedulerName: "default-scheduler",
    securityContext: {},
    serviceAccountName: "web",
    serviceAccount: "web",
    terminationGracePeriodSeconds: 30,
  },
};

const sparse = {
  metadata: { creationTimestamp: null, labels: { app: "web" } },
  spec: {
    containers: [
      {
        name: "app",
        image: "web:v1",
        ports: [{ containerPort: 80 }],
        readinessProbe: { httpGet: { port: 80 } },
      },
    ],
    volumes: [{ name: "settings", configMap: { name: "settings" } }],
    serviceAccountName: "web",
  },
};

const container = (fields: object) => ({
  ...sparse,
  spec: { ...sparse.spec, containers: [{ ...sparse.spec.containers[0], ...fields }] },
});

const rows: [string, unknown, boolean][] = [
  ["what is complete", completed, true],
  ["what leaves every default out", sparse, true],
  ["another image", container({ image: "web:v2" }), false],
  ["a probe with another period", container({ readinessProbe: { periodSeconds: 5 } }), false],
  ["a field that the template does not have", container({ workingDir: "/srv" }), false],
  ["one container less", { ...sparse, spec: { ...sparse.spec, containers: [] } }, false],
  ["another label", { ...sparse, metadata: { labels: { app: "db" } } }, false],
  ["no service account", { ...sparse, spec: { ...sparse.spec, serviceAccountName: "" } }, false],
];

test.each(rows)("ST10 %s is the template: %#", (_name, record, want) => {
  expect(isSameButDefaults(record, completed)).toBe(want);
});

test.each([
  ["web", "Always"],
  ["web:latest", "Always"],
  ["registry.example:5000/web", "Always"],
  ["web:v1", "IfNotPresent"],
  ["web@sha256:abc", "IfNotPresent"],
])("ST10 the pull policy of %s is %s by default", (image, imagePullPolicy) => {
  const given = { containers: [{ image }] };
  const other = imagePullPolicy === "Always" ? "IfNotPresent" : "Always";
  expect(isSameButDefaults(given, { containers: [{ image, imagePullPolicy }] })).toBe(true);
  expect(isSameButDefaults(given, { containers: [{ image, imagePullPolicy: other }] })).toBe(false);
});

const recordOf = (template: unknown, revision: number): ControllerRevision => ({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: { name: `web-${revision}` },
  data: { spec: { template: { ...(template as object), $patch: "replace" } } },
  revision,
});

test("ST10 the latest record is recognised without its defaults, an older one is not", () => {
  const base = statefulSetOf({});
  const set = { ...base, spec: { ...base.spec, template: completed } } as typeof base;
  const latest = recordOf(sparse, 2);
  expect(chooseUpdateRevision(set, [recordOf({ spec: {} }, 1), latest])).toEqual({
    kind: "none",
    revision: latest,
  });
  expect(chooseUpdateRevision(set, [recordOf(sparse, 1), recordOf({ spec: {} }, 2)]).kind).toBe(
    "create",
  );
});
