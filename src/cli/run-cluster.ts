/** Runs a small Kubernetes in this process until it is stopped. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { UserError } from "../api/user-error.ts";
import { createApiServer } from "../apiserver/api-server.ts";
import type { ApiServer } from "../apiserver/api-server.ts";
import { builtinResources } from "../apiserver/catalogue/builtin-resources.ts";
import type { Listening } from "../apiserver/http/listener.ts";
import { startKinds } from "../controllers/engine/kind-definition.ts";
import { requestOf } from "../runtime/request-name.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { startAutoscaling } from "../sim/autoscaler/autoscaler-controller.ts";
import { parseCatalogue } from "../sim/images/catalogue.ts";
import { startCluster } from "../sim/cluster.ts";
import { localKubeconfig } from "./cluster-flags.ts";
import { chooseKinds } from "./controllers.ts";
import { installDefinitions } from "./definitions.ts";
import { playgroundOf, samplesFolder } from "./playground.ts";
import { startDashboard } from "./run-dashboard.ts";
import type { Io } from "./io.ts";
import { removeKubeconfig, requireWritable, writeKubeconfig } from "./kubeconfig-file.ts";
import type { UpFlags } from "./up.ts";
import { holdLease } from "./up-lease.ts";

export async function runCluster(flags: UpFlags, io: Io): Promise<void> {
  const file = resolve(io.workingDirectory, flags.kubeconfig ?? localKubeconfig);
  const kinds = chooseKinds(flags.controllers);
  const catalogue = flags.images === undefined ? undefined : readCatalogue(flags.images, io);
  requireWritable(file);
  const clock = systemClock(flags.speed);
  const onProblem = (problem: unknown): void => complain(problem, io);
  const server = createApiServer({ clock, resources: builtinResources(), onProblem });
  const token = randomBytes(24).toString("hex");
  const listening = await listen(server, flags, token);
  const { client } = server;
  await installDefinitions(client);
  const cluster = await startCluster({
    client,
    clock,
    nodes: flags.nodes,
    catalogue,
    gangs: true,
    deployments: true,
    onProblem,
  });
  const autoscaling = await startAutoscaling({ client, clock, onProblem });
  const controllers = await startKinds(kinds, {
    client,
    clock,
    modes: { statefulset: "full" },
    onProblem,
  });
  const names = kinds.map(({ name }) => name);
  if (names.length > 0) await holdLease(client, clock, names);
  const dashboard = await startDashboard({
    // Its time is the cluster's, which may run faster.
    io: { ...io, clock },
    host: "127.0.0.1",
    port: flags.dashboardPort,
    allowsActions: true,
    // An operator beside this process lives in real time.
    leaseClock: kinds.length === 0 ? io.clock : undefined,
    entry: { client, token, playground: playgroundOf(server, cluster) },
  });
  writeKubeconfig(file, { url: listening.url, token, certificate: listening.certificate });
  greet(io, { url: listening.url, dashboard: dashboard.url, file, flags, names });
  await aborted(io.stopping);
  removeKubeconfig(file, token);
  await stopAll([dashboard, ...controllers, autoscaling, cluster, server], io);
}

function readCatalogue(path: string, io: Io): ReturnType<typeof parseCatalogue> {
  const file = resolve(io.workingDirectory, path);
  try {
    return parseCatalogue(path, readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new UserError({ problem: `${path} cannot be read: ${(error as Error).message}` });
  }
}

async function listen(server: ApiServer, flags: UpFlags, token: string): Promise<Listening> {
  try {
    return await server.listen({ port: flags.port, tls: flags.http !== true, token });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const fixes: Record<string, string> = {
      EADDRINUSE: "stop what uses it, or choose another one: --port 0 takes any free port",
      EACCES: "choose a port above 1023: --port 0 takes any free port",
    };
    await server.stop();
    const why = code === "EADDRINUSE" ? `port ${flags.port} is already in use` : message;
    throw new UserError({
      problem: `cannot listen on 127.0.0.1:${flags.port}: ${why}`,
      fix: fixes[code ?? ""] ?? "choose another port with --port",
    });
  }
}

interface Greeting {
  readonly url: string;
  readonly dashboard: string;
  readonly file: string;
  readonly flags: UpFlags;
  readonly names: readonly string[];
}

function greet(io: Io, { url, dashboard, file, flags, names }: Greeting): void {
  const invocation = io.invocation ?? "lockstep";
  const hints = [
    [`${invocation} list`, "where every rollout is"],
    [`${invocation} watch KIND/NAME`, "one of them, live"],
    [`${invocation} why KIND/NAME`, "what it waits for, and what to type"],
  ] as const;
  const width = Math.max(...hints.map(([command]) => command.length));
  const speed =
    flags.speed === 1 ? "" : `, time runs ${flags.speed} times faster and ahead of yours`;
  const lines = [
    `The embedded cluster is running: ${flags.nodes} nodes${speed}.`,
    "",
    `  dashboard    ${dashboard}   (open it: samples start with one click)`,
    `  API server   ${url}`,
    `  kubeconfig   ${file}`,
    `  controllers  ${names.length === 0 ? noControllers : names.join(", ")}`,
    "",
    "In another terminal:",
    "",
    `  export KUBECONFIG=${file}`,
    ...sampleLines(io),
    "  kubectl get pods -o wide -w",
    ...hints.map(([command, does]) => `  ${command.padEnd(width)}   # ${does}`),
    "",
    `Without kubectl: ${invocation} apply | get | describe | delete`,
    "Ctrl-C stops everything; nothing is kept.",
  ];
  for (const line of lines) io.print(line);
}

const noControllers = "none: samples need an operator first (docs/how-to/operator-beside-up.md)";

function sampleLines(io: Io): string[] {
  const folder = samplesFolder();
  if (folder === undefined) return [];
  return [`  kubectl apply -f ${relative(io.workingDirectory, join(folder, "statefulset.yaml"))}`];
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    return signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** A second Ctrl-C while stopping must work too: nothing here is worth waiting for. */
async function stopAll(parts: readonly { stop(): Promise<void> }[], io: Io): Promise<void> {
  io.warn("stopping ...");
  const again = (): never => process.exit(130);
  process.once("SIGINT", again);
  for (const part of parts) await part.stop();
  process.removeListener("SIGINT", again);
  io.warn("stopped");
}

/** With what was asked for: `list podcliques: 404 page not found` after its definition was deleted. */
function complain(problem: unknown, io: Io): void {
  const { verb, resource } = requestOf(problem) ?? {};
  const asked = verb === undefined ? "" : `${verb} ${resource}: `;
  io.warn(`lockstep: ${asked}${problem instanceof Error ? problem.message : String(problem)}`);
}
