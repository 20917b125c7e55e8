/** `lockstep foresee`: shows what a rollout would do to a number of units under a budget, without a cluster. */
import { Command, Option } from "commander";
import { UserError } from "../api/user-error.ts";
import type { Budget } from "../planner/budget.ts";
import { foresee, type Foresight } from "../planner/foresee.ts";
import { resolveAmount, resolveBudget, resolveStatefulSetBudget } from "../planner/percent.ts";
import type { Pacing, Policy, RollingPolicy } from "../planner/policy.ts";
import {
  cliquePolicy,
  replicaRecreatePolicy,
  scalingGroupPolicy,
  statefulSetPolicy,
} from "../planner/policy.ts";
import { nothingRequested, type Snapshot } from "../planner/rollout.ts";
import { coloursFor } from "./paint.ts";
import { drawForesight, legend, type Paint } from "./foresee-drawing.ts";
import { shortDuration } from "./event-table.ts";
import { foreseeRoles } from "./foresee-roles.ts";
import type { Io } from "./io.ts";

interface ForeseeFlags {
  readonly replicas?: string;
  readonly role?: readonly string[];
  readonly maxSkew?: string;
  readonly maxUnavailable?: string;
  readonly maxSurge?: string;
  readonly policy: "clique" | "scaling-group" | "replica-recreate" | "statefulset" | "on-delete";
  readonly partition: string;
  readonly pacing?: Pacing;
  readonly name: string;
  readonly startSeconds: string;
  readonly stopSeconds: string;
  readonly output?: "json";
}

const policies = ["clique", "scaling-group", "replica-recreate", "statefulset", "on-delete"];
const mostReplicas = 10_000;

export function foreseeCommand(io: Io): Command {
  return new Command("foresee")
    .summary("show what a rollout would do, step by step")
    .description(
      "Play a rollout to its end without a cluster: `foresee --replicas 3 --max-surge 1 --max-unavailable 0`, " +
        "or of several roles side by side: `foresee --role prefill=40 --role decode=20 --max-skew 10%`.",
    )
    .option("-r, --replicas <count>", "how many units there are")
    .option("--role <name=count>", "a role and its units; once for each role", collect)
    .option("--max-skew <percent>", "how far the progress of roles may differ")
    .option("--max-unavailable <amount>", "how many may be down: 2 or 25% (default: 1)")
    .option("--max-surge <amount>", "how many may be extra: 2 or 25% (default: 0)")
    .addOption(
      new Option("--policy <policy>", "whose rollout").choices(policies).default("scaling-group"),
    )
    .option("--partition <place>", "places below this one keep their revision", "0")
    .addOption(
      new Option("--pacing <pacing>", "how units follow one another").choices([
        "parallel",
        "rounds",
        "strict",
      ]),
    )
    .option("--name <name>", "what the units are called", "web")
    .option("--start-seconds <seconds>", "how long a unit takes to become available", "30")
    .option("--stop-seconds <seconds>", "how long a unit takes to go", "5")
    .addOption(new Option("-o, --output <format>", "how to print").choices(["json"]))
    .action((flags: ForeseeFlags, command: Command) => {
      refuseIdleFlags(command, flags.role === undefined);
      if (flags.role === undefined) return foreseeUnits(flags, io);
      return foreseeRoles({ ...flags, role: flags.role }, paintFor(io), io);
    });
}

const collect = (word: string, before: readonly string[] = []): string[] => [...before, word];

const unitsOnly = [
  "replicas",
  "maxSurge",
  "policy",
  "pacing",
  "name",
  "startSeconds",
  "stopSeconds",
];

/** A flag without effect is refused, because its user expects one. */
function refuseIdleFlags(command: Command, isOfUnits: boolean): void {
  const idle = isOfUnits ? ["maxSkew"] : unitsOnly;
  const given = command.options.find(
    (option) =>
      idle.includes(option.attributeName()) &&
      command.getOptionValueSource(option.attributeName()) === "cli",
  );
  if (given === undefined) return;
  throw new UserError(
    isOfUnits
      ? {
          problem: `${given.long}: it is about several roles, and there is no --role`,
          fix: "leave the flag out, or name the roles, for example --role prefill=40 --role decode=20",
        }
      : {
          problem: `${given.long}: it has no effect on roles that move together`,
          fix: "leave the flag out, or use --replicas instead of --role",
        },
  );
}

function foreseeUnits(flags: ForeseeFlags, io: Io): void {
  if (flags.replicas === undefined) {
    throw new UserError({
      problem: "neither --replicas nor --role is given",
      fix: "say how many units there are, for example --replicas 3",
    });
  }
  const desired = wholeNumber("--replicas", flags.replicas, mostReplicas);
  const policy = policyOf(flags, desired);
  const foresight = foresee(beginning(flags.name, desired), policy, {
    availableAfterMs: wholeNumber("--start-seconds", flags.startSeconds) * 1000,
    goneAfterMs: wholeNumber("--stop-seconds", flags.stopSeconds) * 1000,
  });
  if (flags.output === "json") printJson(foresight, policy, desired, io);
  else printDrawing(foresight, flags.name, desired, io);
}

function wholeNumber(flag: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value <= most) return value;
  const upTo = most < Number.MAX_SAFE_INTEGER ? ` up to ${most}` : "";
  throw new UserError({
    problem: `${flag}: ${text} is not a whole number${upTo}`,
    fix: `write digits only, for example ${flag} 3`,
  });
}

/** Percentages stay text, so that they are rounded by the rules and not here. */
function amount(
  flag: string,
  text: string | undefined,
  desired: number,
): string | number | undefined {
  if (text === undefined) return undefined;
  const parsed = /^[0-9]+$/.test(text) ? Number(text) : text;
  try {
    resolveAmount(parsed, desired, "down");
    return parsed;
  } catch (error) {
    throw new UserError({
      problem: `${flag}: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

function budgetOf(flags: ForeseeFlags, desired: number): Budget {
  const maxUnavailable = amount("--max-unavailable", flags.maxUnavailable, desired);
  const maxSurge = amount("--max-surge", flags.maxSurge, desired);
  if (flags.policy === "statefulset") {
    if (maxSurge === undefined || maxSurge === 0)
      return resolveStatefulSetBudget(maxUnavailable, desired);
    throw new UserError({
      problem: "--max-surge: a StatefulSet has no surge",
      fix: "leave the flag out, or choose another --policy",
    });
  }
  if (maxUnavailable === 0 && (maxSurge ?? 0) === 0) {
    throw new UserError({
      problem: "--max-unavailable and --max-surge are both 0, so no unit could ever be replaced",
      fix: "set one of them to 1 or more",
    });
  }
  return resolveBudget(
    {
      ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
      ...(maxSurge === undefined ? {} : { maxSurge }),
    },
    desired,
  );
}

function policyOf(flags: ForeseeFlags, desired: number): Policy {
  const budget = budgetOf(flags, desired);
  const partition = wholeNumber("--partition", flags.partition);
  if (flags.policy === "on-delete") {
    const pacing = flags.pacing ?? "parallel";
    return { kind: "onDelete", budget, pacing, scaleIn: "outdatedFirst" };
  }
  const policy = basePolicy(flags.policy, budget, partition);
  return flags.pacing === undefined ? policy : { ...policy, pacing: flags.pacing };
}

function basePolicy(
  name: Exclude<ForeseeFlags["policy"], "on-delete">,
  budget: Budget,
  partition: number,
): RollingPolicy {
  switch (name) {
    case "clique":
      return cliquePolicy(budget, partition);
    case "scaling-group":
      return scalingGroupPolicy(budget, partition);
    case "replica-recreate":
      return replicaRecreatePolicy(budget, partition);
    case "statefulset":
      return statefulSetPolicy(budget, partition, "rounds");
  }
}

/** Every unit available on the old revision, the highest ordinal the youngest. */
function beginning(name: string, desired: number): Snapshot {
  const units = Array.from({ length: desired }, (_, ordinal) => ({
    name: `${name}-${ordinal}`,
    id: `${name}-${ordinal}`,
    ordinal,
    revision: "old",
    health: "available" as const,
    scheduled: true,
    createdAtMs: ordinal,
  }));
  const rollout = { name, targetRevision: "new", previousRevision: "old", desired, paused: false };
  return { nowMs: desired, units, rollout, requested: nothingRequested };
}

interface Extremes {
  readonly lowestAvailable: number;
  readonly mostSurge: number;
}

function extremesOf({ steps }: Foresight, desired: number): Extremes {
  return steps.reduce(
    ({ lowestAvailable, mostSurge }, { counts }) => ({
      lowestAvailable: Math.min(lowestAvailable, counts.available),
      mostSurge: Math.max(mostSurge, counts.surge),
    }),
    { lowestAvailable: desired, mostSurge: 0 },
  );
}

function printDrawing(foresight: Foresight, name: string, desired: number, io: Io): void {
  const paint = paintFor(io);
  const { lowestAvailable, mostSurge } = extremesOf(foresight, desired);
  io.print(paint.faint(legend));
  for (const line of drawForesight(foresight, name, desired, paint)) io.print(line);
  const { end, tookMs } = foresight;
  const ended = end.kind === "done" ? "done" : "stops";
  io.print(`${shortDuration(tookMs).padStart(7)}  ${ended}: ${end.reason.message}`);
  io.print(
    `${" ".repeat(9)}never fewer than ${lowestAvailable} of ${desired} available, never more than ${mostSurge} extra`,
  );
}

function paintFor(io: Io): Paint {
  const isColourful = io.isTerminal && io.environment["NO_COLOR"] === undefined;
  const { yellow, green, red, dim } = coloursFor(isColourful);
  return { old: yellow, fresh: green, down: red, faint: dim };
}

function printJson(foresight: Foresight, policy: Policy, desired: number, io: Io): void {
  const { end, steps, tookMs } = foresight;
  const report = {
    replicas: desired,
    policy,
    steps: steps.map((step) =>
      step.kind === "settle"
        ? step
        : {
            kind: step.kind,
            atMs: step.atMs,
            actions: step.decision.actions,
            reason: step.decision.reason,
            counts: step.counts,
          },
    ),
    end: { kind: end.kind, reason: end.reason, waits: end.waits },
    tookMs,
    ...extremesOf(foresight, desired),
  };
  io.print(JSON.stringify(report, undefined, 2));
}
