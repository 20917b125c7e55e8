/** A real Kubernetes control plane on this machine: etcd and kube-apiserver, and more if a test asks for it. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BinaryName } from "../../tools/control-plane/binaries.ts";
import { ensureBinaries } from "../../tools/control-plane/build.ts";
import type { BinaryPaths } from "../../tools/control-plane/build.ts";
import type { ControllerManagerOptions, Layout } from "./arguments.ts";
import {
  apiserverArguments,
  apiserverUrl,
  controllerManagerArguments,
  etcdArguments,
  etcdUrl,
  kwokArguments,
  paths,
  rateArguments,
  schedulerArguments,
} from "./arguments.ts";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import { freePorts } from "./free-ports.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { kwokStages } from "./kwok-stages.ts";
import type { PodLife } from "./kwok-stages.ts";
import { untilReady } from "./readiness.ts";

export interface ControlPlaneOptions {
  /** Runs kube-controller-manager; its object says which controllers. */
  readonly controllerManager?: boolean | ControllerManagerOptions;
  readonly scheduler?: boolean;
  /** Simulated nodes; needs Node objects, see `fakeNode`. */
  readonly kwok?: boolean | PodLife;
  readonly audit?: boolean;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Client requests per second of controller manager and scheduler. */
  readonly qps?: number;
  readonly apiserverFlags?: readonly string[];
}

export interface ControlPlane {
  readonly url: string;
  /** PEM certificate of the API server. */
  readonly ca: string;
  readonly token: string;
  readonly kubeconfig: string;
  readonly folder: string;
  readonly auditLog: string;
  /** Process ids by program, for those who measure memory. */
  readonly pids: Readonly<Record<string, number>>;
  /** Stops everything; the folder with the logs is kept if requested. */
  stop(options?: { readonly keepLogs?: boolean }): Promise<void>;
}

/** The API server silently drops StatefulSet maxUnavailable if this gate is off. */
const defaultGates = { MaxUnavailableStatefulSet: true };

export function neededBinaries(options: ControlPlaneOptions): BinaryName[] {
  return [
    "etcd",
    "kube-apiserver",
    ...(options.controllerManager ? (["kube-controller-manager"] as const) : []),
    ...(options.scheduler ? (["kube-scheduler"] as const) : []),
    ...(options.kwok ? (["kwok"] as const) : []),
  ];
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await ensureBinaries(neededBinaries(options));
  const layout = await prepareLayout();
  const token = randomBytes(16).toString("hex");
  writeSecrets(layout, token);
  const children: Child[] = [];
  try {
    await startAll({ binaries, layout, token, options, children });
  } catch (error) {
    await stopAll(children);
    throw new Error(`the control plane did not start; logs are in ${layout.folder}`, {
      cause: error,
    });
  }
  const ca = readFileSync(paths.serverCertificate(layout), "utf8");
  return {
    url: apiserverUrl(layout),
    ca,
    token,
    kubeconfig: paths.kubeconfig(layout),
    folder: layout.folder,
    auditLog: paths.auditLog(layout),
    pids: Object.fromEntries(children.map((child) => [child.name, child.pid])),
    async stop({ keepLogs = false } = {}) {
      await stopAll(children);
      if (!keepLogs) rmSync(layout.folder, { recursive: true, force: true });
    },
  };
}

async function prepareLayout(): Promise<Layout> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-control-plane-"));
  const ports = await freePorts(6);
  const [etcdClient, etcdPeer, apiserver, controllerManager, scheduler, kwok] = ports as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    folder,
    ports: { etcdClient, etcdPeer, apiserver, controllerManager, scheduler, kwok },
  };
}

function writeSecrets(layout: Layout, token: string): void {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs1", format: "pem" });
  writeFileSync(paths.serviceAccountKey(layout), key, { mode: 0o600 });
  writeFileSync(paths.tokens(layout), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  mkdirSync(paths.certificates(layout));
  const policy = {
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [{ level: "None", verbs: ["watch"] }, { level: "Metadata" }],
  };
  writeFileSync(paths.auditPolicy(layout), JSON.stringify(policy));
}

interface Startup {
  readonly binaries: BinaryPaths;
  readonly layout: Layout;
  readonly token: string;
  readonly options: ControlPlaneOptions;
  /** In the order of starting; stopping uses the reverse order. */
  readonly children: Child[];
}

async function startAll(startup: Startup): Promise<void> {
  const { layout, options } = startup;
  const featureGates = { ...defaultGates, ...options.featureGates };
  await startStorageAndServer(startup, featureGates);
  const { controllerManager, scheduler, kwok } = options;
  if (controllerManager) {
    const asked = controllerManager === true ? {} : controllerManager;
    const args = controllerManagerArguments(layout, featureGates, asked);
    await startComponent(
      startup,
      "kube-controller-manager",
      args.concat(rateArguments(options.qps)),
      {
        url: `https://127.0.0.1:${layout.ports.controllerManager}/healthz`,
      },
    );
  }
  if (scheduler) {
    const args = schedulerArguments(layout).concat(rateArguments(options.qps));
    const url = `https://127.0.0.1:${layout.ports.scheduler}/healthz`;
    await startComponent(startup, "kube-scheduler", args, { url });
  }
  if (kwok) {
    writeFileSync(paths.stages(layout), kwokStages(kwok === true ? {} : kwok));
    const url = `http://127.0.0.1:${layout.ports.kwok}/readyz`;
    await startComponent(startup, "kwok", kwokArguments(layout), { url });
  }
}

async function startStorageAndServer(
  startup: Startup,
  featureGates: Readonly<Record<string, boolean>>,
): Promise<void> {
  const { layout, token, options } = startup;
  await startComponent(startup, "etcd", etcdArguments(layout), {
    url: `${etcdUrl(layout)}/health`,
  });
  const flags = {
    featureGates,
    hasControllerManager: runsServiceAccounts(options),
    audit: options.audit === true,
    extra: options.apiserverFlags ?? [],
  };
  await startComponent(startup, "kube-apiserver", apiserverArguments(layout, flags), {
    url: `${apiserverUrl(layout)}/readyz`,
    caFile: paths.serverCertificate(layout),
    token,
  });
  const ca = readFileSync(paths.serverCertificate(layout), "utf8");
  writeKubeconfig(paths.kubeconfig(layout), { url: apiserverUrl(layout), ca, token });
}

function runsServiceAccounts({ controllerManager = false }: ControlPlaneOptions): boolean {
  if (typeof controllerManager === "boolean") return controllerManager;
  const { controllers = ["*"] } = controllerManager;
  return controllers.includes("*") || controllers.includes("serviceaccount-controller");
}

async function startComponent(
  { binaries, layout, children }: Startup,
  name: BinaryName,
  args: readonly string[],
  probe: Parameters<typeof untilReady>[1],
): Promise<void> {
  const child = startChild(name, binaries[name], args, layout.folder);
  children.push(child);
  await untilReady(child, probe);
}

/** An API server without its etcd hangs in its shutdown, so the last one started is stopped first. */
async function stopAll(children: readonly Child[]): Promise<void> {
  for (const child of children.toReversed()) await child.stop();
}

/** A node that kwok manages. */
export function fakeNode(
  name: string,
  labels: Readonly<Record<string, string>> = {},
  gpus = 8,
): Record<string, unknown> {
  const capacity = { cpu: "64", memory: "512Gi", pods: "110", "nvidia.com/gpu": String(gpus) };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      annotations: { "kwok.x-k8s.io/node": "fake" },
      labels: { "kubernetes.io/hostname": name, ...labels },
    },
    status: { capacity, allocatable: capacity },
  };
}
