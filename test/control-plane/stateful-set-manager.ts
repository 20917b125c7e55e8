/** One of Kubernetes' own controllers in a separate process, so that it can be started, stopped and measured. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ensureBinaries } from "../../tools/control-plane/build.ts";
import { rateArguments } from "./arguments.ts";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";
import type { ControlPlane } from "./control-plane.ts";
import { freePorts } from "./free-ports.ts";
import { untilReady } from "./readiness.ts";

export interface ManagerOptions {
  /** Client requests per second; upstream's own default where absent. */
  readonly qps?: number;
}

type Plane = Pick<ControlPlane, "folder" | "kubeconfig">;

export const startStatefulSetManager = (plane: Plane, options?: ManagerOptions): Promise<Child> =>
  startManager(plane, "statefulset-controller", options);

/** Knows the kinds that are served when it starts; it discovers later ones only after half a minute. */
export const startGarbageCollector = (plane: Plane, options?: ManagerOptions): Promise<Child> =>
  startManager(plane, "garbage-collector-controller", options);

async function startManager(
  { folder, kubeconfig }: Plane,
  controller: string,
  { qps }: ManagerOptions = {},
): Promise<Child> {
  const name = "kube-controller-manager" as const;
  const { [name]: binary } = await ensureBinaries([name]);
  const [port] = await freePorts(1);
  const home = join(folder, `${controller}-${port}`);
  mkdirSync(home);
  const child = startChild(
    name,
    binary,
    [
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--cert-dir=${home}`,
      "--use-service-account-credentials=false",
      "--feature-gates=MaxUnavailableStatefulSet=true",
      `--controllers=${controller}`,
      ...rateArguments(qps),
    ],
    home,
  );
  await untilReady(child, { url: `https://127.0.0.1:${port}/healthz` });
  return child;
}
