/** The controller of LeaderWorkerSets with its webhooks, in a separate process beside a control plane. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { customResourceDefinitionResource } from "../../src/api/definition/custom-kind.ts";
import type { KubeObject } from "../../src/api/object.ts";
import type { Resource } from "../../src/api/resource.ts";
import type { Client } from "../../src/runtime/client.ts";
import { recipe } from "../../tools/control-plane/binaries.ts";
import { ensureBinaries } from "../../tools/control-plane/build.ts";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import type { ControlPlane } from "./control-plane.ts";
import { freePorts } from "./free-ports.ts";
import { untilReady } from "./readiness.ts";

const group = "leaderworkerset.x-k8s.io";

export async function startLeaderWorkerSetManager(
  plane: ControlPlane,
  client: Client,
): Promise<Child> {
  const { lws } = await ensureBinaries(["lws"]);
  await client.create(customResourceDefinitionResource, definition());
  const [port = 0, health = 0] = await freePorts(2);
  const home = join(plane.folder, `lws-${port}`);
  mkdirSync(home);
  shareCertificate(plane, home);
  writeFileSync(join(home, "config.json"), JSON.stringify(configuration({ home, port, health })));
  const flags = [`--config=${join(home, "config.json")}`, `--kubeconfig=${plane.kubeconfig}`];
  const child = startChild("lws", lws, flags, home);
  await untilReady(child, { url: `http://127.0.0.1:${health}/readyz` });
  // Its webhooks are served a moment later; whoever calls them before is refused.
  await untilReady(child, { url: `https://127.0.0.1:${port}/` }, { answer: "404" });
  for (const kind of ["Mutating", "Validating"] as const) {
    await client.create(webhookResource(kind), webhooks(kind, plane, port));
  }
  return child;
}

/** The definition that comes with the module. */
function definition(): KubeObject {
  const { moduleFolder } = recipe("lws");
  const args = ["list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/lws"];
  const folder = execFileSync("go", args, { cwd: moduleFolder, encoding: "utf8" }).trim();
  const file = join(folder, "config/crd/bases", `${group}_leaderworkersets.yaml`);
  return parse(readFileSync(file, "utf8")) as KubeObject;
}

/** That of the API server is for this machine, and the API server trusts it. */
function shareCertificate({ folder }: ControlPlane, home: string): void {
  for (const [from, to] of [
    ["apiserver.crt", "tls.crt"],
    ["apiserver.key", "tls.key"],
  ] as const) {
    copyFileSync(join(folder, "certificates", from), join(home, to));
  }
}

interface Ports {
  readonly home: string;
  readonly port: number;
  readonly health: number;
}

const configuration = ({ home, port, health }: Ports) => ({
  apiVersion: "config.lws.x-k8s.io/v1alpha1",
  kind: "Configuration",
  webhook: { port, host: "127.0.0.1", certDir: home },
  leaderElection: { leaderElect: false },
  metrics: { bindAddress: "0" },
  health: { healthProbeBindAddress: `127.0.0.1:${health}` },
  internalCertManagement: { enable: false },
});

type Webhook = "Mutating" | "Validating";

const webhookResource = (kind: Webhook): Resource => ({
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural: `${kind.toLowerCase()}webhookconfigurations`,
  kind: `${kind}WebhookConfiguration`,
  namespaced: false,
});

/** As its own manifest has them, called by address. */
function webhooks(kind: Webhook, plane: ControlPlane, port: number): KubeObject {
  const verb = kind === "Mutating" ? "mutate" : "validate";
  const operations = kind === "Mutating" ? ["CREATE"] : ["CREATE", "UPDATE"];
  const hook = (name: string, path: string, rule: object) => ({
    name,
    admissionReviewVersions: ["v1"],
    failurePolicy: "Fail",
    sideEffects: "None",
    clientConfig: {
      url: `https://127.0.0.1:${port}/${verb}-${path}`,
      caBundle: Buffer.from(plane.ca).toString("base64"),
    },
    rules: [{ apiVersions: ["v1"], ...rule }],
  });
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: "lws" },
    webhooks: [
      hook("leaderworkerset.kb.io", "leaderworkerset-x-k8s-io-v1-leaderworkerset", {
        apiGroups: [group],
        operations: ["CREATE", "UPDATE"],
        resources: ["leaderworkersets"],
      }),
      hook("pod.kb.io", "-v1-pod", { apiGroups: [""], operations, resources: ["pods"] }),
    ],
  };
}
