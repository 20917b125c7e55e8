/** Runs the controllers against a real cluster, one leader at a time. */
import { hostname } from "node:os";
import pino from "pino";
import type { Logger } from "pino";
import { UserError } from "../api/user-error.ts";
import type { ControlledKind } from "../controllers/engine/controlled-kind.ts";
import type { KindDefinition, StartOptions } from "../controllers/engine/kind-definition.ts";
import { beginKinds } from "../controllers/engine/kind-definition.ts";
import { RolloutGauges } from "../controllers/engine/rollout-gauges.ts";
import type { Clock } from "../runtime/clock.ts";
import { sleep } from "../runtime/clock.ts";
import { leaseName, scopeAnnotations } from "../rollouts/operator.ts";
import { fencedTransport, LeaderElection } from "../runtime/leader.ts";
import { operatorMetrics } from "../runtime/metrics.ts";
import type { OperatorMetrics } from "../runtime/metrics.ts";
import { namespacedClient } from "../runtime/namespaced-client.ts";
import { pacedTransport } from "../runtime/paced-transport.ts";
import { restClient } from "../runtime/rest-client.ts";
import { systemClock } from "../runtime/system-clock.ts";
import type { Transport } from "../runtime/transport.ts";
import { connect } from "./connect.ts";
import { chooseKinds } from "./controllers.ts";
import { serveHealth } from "./health-server.ts";
import { limitHeap } from "./heap-limits.ts";
import type { Io } from "./io.ts";
import { leaseProblem } from "./lease-problem.ts";
import type { OperatorFlags } from "./operator.ts";
import { metricsHost } from "./operator.ts";
import { logStep, observer, problemLog } from "./operator-log.ts";
import { operatorHealth } from "./operator-health.ts";

/** The lease lasts a little longer than this; what is not done by then is left to the next leader. */
const longestStopMs = 8_000;
/** At the end nothing is written any more, so nothing is worth waiting for. */
const exitAfterMs = 3_000;

export async function operate(flags: OperatorFlags, io: Io): Promise<void> {
  const kinds = chooseKinds(flags.controllers);
  limitHeap();
  const { isoTime } = pino.stdTimeFunctions;
  const log = pino({
    level: flags.logLevel,
    base: undefined,
    timestamp: isoTime,
    formatters: { level: (level) => ({ level }) },
  });
  const metrics = operatorMetrics();
  const connection = connect(flags, io);
  const parts: Parts = {
    flags,
    log,
    metrics,
    clock: systemClock(),
    transport: metrics.count(connection.transport),
    onProblem: problemLog(log),
  };
  const running = new RunningKinds(kinds, parts);
  const election = flags.leaderElect ? electionOf(parts, kinds) : undefined;
  metrics.leads(() => election?.isLeader ?? true);
  const health = operatorHealth({ election, kinds: () => running.kinds });
  const address = { host: metricsHost(flags, io), port: flags.metricsPort };
  const server = await serveHealth(address, metrics.registry, health);
  exitOnSecondSignal(io);
  try {
    if (election === undefined) await runAlone(parts, running, io);
    else await runAsLeader(parts, running, { election, io });
  } finally {
    server.close();
    connection.close();
    // Whatever still holds the process: it has nothing to do any more.
    setTimeout(() => process.exit(), exitAfterMs).unref();
  }
}

/** What every part of the operator uses. */
interface Parts {
  readonly flags: OperatorFlags;
  readonly log: Logger;
  readonly metrics: OperatorMetrics;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly onProblem: (problem: unknown) => void;
}

async function runAlone(parts: Parts, running: RunningKinds, io: Io): Promise<void> {
  running.start(startOptions(parts, parts.transport));
  await aborted(io.stopping);
  await running.stop();
  parts.log.info("stopped");
}

async function runAsLeader(
  parts: Parts,
  running: RunningKinds,
  { election, io }: { readonly election: LeaderElection; readonly io: Io },
): Promise<void> {
  const { log, transport } = parts;
  const fenced = fencedTransport(transport, () => election.isLeader);
  const { identity } = election;
  const lease = leaseOf(parts);
  let isLeading = false;
  const end = await election.lead(
    io.stopping,
    () => {
      isLeading = true;
      log.info({ identity, ...lease }, "lease taken");
      running.start(startOptions(parts, fenced));
    },
    () => running.stop(),
  );
  if (end === "lost") throw leaseLost(log, running);
  log.info(isLeading ? "stopped; the lease is given back" : "stopped; the lease was never taken");
}

const leaseOf = ({ flags }: Parts): { readonly lease: string } => ({
  lease: `${flags.leaseNamespace}/${leaseName}`,
});

function electionOf(parts: Parts, kinds: readonly KindDefinition[]): LeaderElection {
  const { flags, transport, clock, log, onProblem } = parts;
  const controllers = kinds.map(({ name }) => name);
  const { namespaces, statefulsetMode: statefulSetMode } = flags;
  const lease = { namespace: flags.leaseNamespace, name: leaseName };
  return new LeaderElection({
    // Not behind the rate limit: a busy leader must not lose its lease to its own requests.
    client: restClient(pacedTransport(transport, { clock, random: Math.random })),
    clock,
    ...lease,
    annotations: scopeAnnotations({ controllers, statefulSetMode, namespaces }),
    identity: `${hostname()}_${process.pid}_${clock.now().toString(36)}`,
    onProblem: (problem) => onProblem(leaseProblem(problem, lease)),
    onHeld: ({ holderIdentity: holder, acquireTime: since, renewTime: renewed }) =>
      log.info(
        { ...leaseOf(parts), holder, since, renewed },
        "waiting for the lease, which another operator holds",
      ),
  });
}

function startOptions(
  { flags, clock, onProblem, metrics, log }: Parts,
  wire: Transport,
): StartOptions {
  const { kubeApiQps: qps, kubeApiBurst: burst } = flags;
  const limit = qps === 0 ? {} : { qps, burst };
  return {
    client: restClient(pacedTransport(wire, { clock, random: Math.random, ...limit })),
    clock,
    modes: { statefulset: flags.statefulsetMode },
    // Whether a gang fits is seen from the nodes, which a role of one namespace does not show.
    gangSchedulers: flags.namespaces.length > 0 ? undefined : flags.gangSchedulers,
    onProblem,
    onRollout: (step) => logStep(log, step),
    gauge: metrics.gauge,
    rollouts: new RolloutGauges(metrics.collected),
    observe: (controller) => observer(metrics, log, controller),
  };
}

/** A process that goes on after this would only be in the way of the one that follows it. */
function leaseLost(log: Logger, running: RunningKinds): UserError {
  running.halt();
  log.error("the lease was lost: exiting");
  return new UserError({
    problem: "the lease was lost: another operator may be leading now",
    fix: "this process exits so that a new one can wait for the lease",
  });
}

/** The controllers of every namespace that this operator looks after. */
class RunningKinds {
  readonly #definitions: readonly KindDefinition[];
  readonly #parts: Parts;
  kinds: readonly ControlledKind[] = [];

  constructor(definitions: readonly KindDefinition[], parts: Parts) {
    this.#definitions = definitions;
    this.#parts = parts;
  }

  start(options: StartOptions): void {
    const { flags, log, metrics, onProblem } = this.#parts;
    const { client } = options;
    const clients =
      flags.namespaces.length === 0
        ? [client]
        : flags.namespaces.map((namespace) => namespacedClient(client, namespace));
    const begun = clients.map((each) =>
      beginKinds(this.#definitions, { ...options, client: each }),
    );
    this.kinds = begun.flatMap(({ kinds }) => kinds);
    const caches = new Set(this.kinds.flatMap((kind) => kind.caches));
    for (const cache of caches) metrics.follow(cache);
    const controllers = this.#definitions.map(({ name }) => name);
    const { namespaces, statefulsetMode: statefulSetMode } = flags;
    Promise.all(begun.map(({ started }) => started))
      .then(() => log.info({ controllers, statefulSetMode, namespaces }, "controllers run"))
      .catch(onProblem);
  }

  /** Finishes what is at work, as far as that takes no longer than the lease lasts. */
  async stop(): Promise<void> {
    this.#parts.log.info("stopping: finishing what is at work");
    const done = new AbortController();
    const late = sleep(this.#parts.clock, longestStopMs, done.signal);
    await Promise.race([Promise.all(this.kinds.map((kind) => kind.stop())), late]);
    done.abort();
    this.halt();
  }

  halt(): void {
    for (const kind of this.kinds) kind.halt();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    return signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Whoever asks twice does not want to wait. */
function exitOnSecondSignal({ stopping }: Io): void {
  stopping.addEventListener(
    "abort",
    () => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        process.once(signal, () => process.exit(130));
      }
    },
    { once: true },
  );
}
