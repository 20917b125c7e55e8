/** Runs the controllers against a real cluster, one leader at a time. */
import { hostname } from "node:os";
import pino from "pino";
import type { Logger } from "pino";
import { UserError } from "../api/user-error.ts";
import type { ControlledKind } from "../controllers/engine/controlled-kind.ts";
import type { KindDefinition, StartOptions } from "../controllers/engine/kind-definition.ts";
import { startKinds } from "../controllers/engine/kind-definition.ts";
import { fencedClient, LeaderElection } from "../runtime/leader.ts";
import { operatorMetrics } from "../runtime/metrics.ts";
import type { OperatorMetrics } from "../runtime/metrics.ts";
import { restClient } from "../runtime/rest-client.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { connect } from "./connect.ts";
import { chooseKinds } from "./controllers.ts";
import { serveHealth } from "./health-server.ts";
import { limitHeap } from "./heap-limits.ts";
import type { Io } from "./io.ts";
import type { OperatorFlags } from "./operator.ts";

export async function operate(flags: OperatorFlags, io: Io): Promise<void> {
  const kinds = chooseKinds(flags.controllers);
  limitHeap();
  const log = pino({ level: flags.logLevel, base: undefined });
  const metrics = operatorMetrics();
  const clock = systemClock();
  const connection = connect(flags, io);
  const client = restClient(metrics.count(connection.transport));
  const onProblem = (problem: unknown): void =>
    log.warn({ problem: textOf(problem) }, "trying again");
  const health = await serveHealth(flags.metricsPort, metrics.registry);
  const context = {
    clock,
    modes: { statefulset: flags.statefulsetMode },
    onProblem,
    gauge: metrics.gauge,
    observe: (controller: string) => observer(metrics, log, controller),
  };
  try {
    if (!flags.leaderElect) {
      const running = await start(kinds, { ...context, client }, metrics, log);
      await new Promise<void>((resolve) => io.stopping.addEventListener("abort", () => resolve()));
      await stop(running);
      return;
    }
    const identity = `${hostname()}_${process.pid}_${clock.now().toString(36)}`;
    const { leaseNamespace: namespace } = flags;
    const election = new LeaderElection({
      client,
      clock,
      namespace,
      name: "lockstep",
      identity,
      onProblem,
    });
    const fenced = fencedClient(client, () => election.isLeader);
    log.info({ identity }, "waiting for the lease");
    let running: Promise<ControlledKind[]> = Promise.resolve([]);
    const begin = (): void => {
      running = start(kinds, { ...context, client: fenced }, metrics, log);
    };
    const finish = async (): Promise<void> => {
      log.info("stopping: finishing what is at work");
      await stop(await running);
    };
    const end = await election.lead(io.stopping, begin, finish);
    if (end === "lost") {
      throw new UserError({
        problem: "the lease was lost: another operator may be leading now",
        fix: "this process exits so that a new one can wait for the lease",
      });
    }
  } finally {
    health.close();
    connection.close();
  }
}

async function start(
  kinds: readonly KindDefinition[],
  options: StartOptions,
  metrics: OperatorMetrics,
  log: Logger,
): Promise<ControlledKind[]> {
  const running = await startKinds(kinds, options);
  const caches = new Set(running.flatMap((controller) => controller.caches));
  for (const cache of caches) metrics.follow(cache);
  const controllers = kinds.map(({ name }) => name);
  log.info({ controllers, statefulSetMode: options.modes?.["statefulset"] }, "controllers run");
  return running;
}

async function stop(running: readonly ControlledKind[]): Promise<void> {
  for (const controller of running) await controller.stop();
}

function observer(
  metrics: OperatorMetrics,
  log: Logger,
  controller: string,
): ReturnType<OperatorMetrics["observe"]> {
  const counted = metrics.observe(controller);
  return {
    ...counted,
    reconciled(key, result) {
      counted.reconciled?.(key, result);
      const { durationMs, error } = result;
      if (error === undefined) log.debug({ controller, key, durationMs }, "reconciled");
      else log.error({ controller, key, durationMs, error: textOf(error) }, "reconcile failed");
    },
  };
}

const textOf = (problem: unknown): string =>
  problem instanceof Error ? problem.message : String(problem);
