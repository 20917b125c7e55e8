/** The command lines of the programs that make a control plane. */
import { join } from "node:path";

export interface Layout {
  readonly folder: string;
  readonly ports: {
    readonly etcdClient: number;
    readonly etcdPeer: number;
    readonly apiserver: number;
    readonly controllerManager: number;
    readonly scheduler: number;
    readonly kwok: number;
  };
}

export interface ControllerManagerOptions {
  /** As the flag takes them: `*`, `-statefulset-controller`, `garbage-collector-controller`. */
  readonly controllers?: readonly string[];
}

export const paths = {
  kubeconfig: (layout: Layout) => join(layout.folder, "kubeconfig"),
  certificates: (layout: Layout) => join(layout.folder, "certificates"),
  serverCertificate: (layout: Layout) => join(layout.folder, "certificates", "apiserver.crt"),
  serviceAccountKey: (layout: Layout) => join(layout.folder, "service-account.key"),
  tokens: (layout: Layout) => join(layout.folder, "tokens.csv"),
  auditPolicy: (layout: Layout) => join(layout.folder, "audit-policy.json"),
  auditLog: (layout: Layout) => join(layout.folder, "audit.log"),
  stages: (layout: Layout) => join(layout.folder, "stages.yaml"),
};

export const apiserverUrl = (layout: Layout): string =>
  `https://127.0.0.1:${layout.ports.apiserver}`;
export const etcdUrl = (layout: Layout): string => `http://127.0.0.1:${layout.ports.etcdClient}`;

export function etcdArguments(layout: Layout): string[] {
  const client = etcdUrl(layout);
  const peer = `http://127.0.0.1:${layout.ports.etcdPeer}`;
  return [
    `--data-dir=${join(layout.folder, "etcd")}`,
    "--unsafe-no-fsync",
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    "--log-level=warn",
  ];
}

export interface ApiserverFlags {
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly hasControllerManager: boolean;
  readonly audit: boolean;
  readonly extra: readonly string[];
}

export function apiserverArguments(layout: Layout, flags: ApiserverFlags): string[] {
  const key = paths.serviceAccountKey(layout);
  return [
    `--etcd-servers=${etcdUrl(layout)}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${layout.ports.apiserver}`,
    `--cert-dir=${paths.certificates(layout)}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--service-account-issuer=https://127.0.0.1",
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--token-auth-file=${paths.tokens(layout)}`,
    "--authorization-mode=RBAC",
    ...gates(flags.featureGates),
    // Without the controller that creates default ServiceAccounts no pod would be admitted.
    ...(flags.hasControllerManager ? [] : ["--disable-admission-plugins=ServiceAccount"]),
    ...(flags.audit
      ? [
          `--audit-policy-file=${paths.auditPolicy(layout)}`,
          `--audit-log-path=${paths.auditLog(layout)}`,
        ]
      : []),
    ...flags.extra,
  ];
}

function gates(featureGates: Readonly<Record<string, boolean>>): string[] {
  const pairs = Object.entries(featureGates).map(([name, on]) => `${name}=${on}`);
  return pairs.length === 0 ? [] : [`--feature-gates=${pairs.join(",")}`];
}

/** The client limits of a component; by default upstream's, which are low for benchmarks. */
export function rateArguments(qps: number | undefined): string[] {
  return qps === undefined ? [] : [`--kube-api-qps=${qps}`, `--kube-api-burst=${qps}`];
}

export function controllerManagerArguments(
  layout: Layout,
  featureGates: Readonly<Record<string, boolean>>,
  options: ControllerManagerOptions,
): string[] {
  return [
    `--kubeconfig=${paths.kubeconfig(layout)}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${layout.ports.controllerManager}`,
    `--cert-dir=${join(layout.folder, "controller-manager")}`,
    `--service-account-private-key-file=${paths.serviceAccountKey(layout)}`,
    "--use-service-account-credentials=false",
    ...gates(featureGates),
    ...(options.controllers === undefined
      ? []
      : [`--controllers=${options.controllers.join(",")}`]),
  ];
}

export function schedulerArguments(layout: Layout): string[] {
  return [
    `--kubeconfig=${paths.kubeconfig(layout)}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    `--secure-port=${layout.ports.scheduler}`,
    `--cert-dir=${join(layout.folder, "scheduler")}`,
  ];
}

export function kwokArguments(layout: Layout): string[] {
  return [
    `--kubeconfig=${paths.kubeconfig(layout)}`,
    "--manage-all-nodes=true",
    // Without leases the controller manager declares every node lost after 40 seconds.
    "--node-lease-duration-seconds=40",
    `--config=${paths.stages(layout)}`,
    `--server-address=127.0.0.1:${layout.ports.kwok}`,
  ];
}
