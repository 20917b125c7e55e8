/** The controllers by name, for `up` and `operator` alike. */
import { UserError } from "../api/user-error.ts";
import { podCliqueController } from "../controllers/grove/podclique/index.ts";
import { scalingGroupController } from "../controllers/grove/podcliquescalinggroup/index.ts";
import { podCliqueSetController } from "../controllers/grove/podcliqueset/index.ts";
import { podGangController } from "../controllers/grove/podgang/index.ts";
import type { GroveCaches } from "../controllers/grove/caches.ts";
import { groveCaches } from "../controllers/grove/caches.ts";
import { statefulSetController } from "../controllers/statefulset/index.ts";
import type { Cache } from "../runtime/cache.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ControllerObserver } from "../runtime/controller.ts";
import type { OperatorMetrics } from "../runtime/metrics.ts";

export interface ControllerContext {
  readonly client: Client;
  readonly clock: Clock;
  /** `assist` beside a cluster that runs its own StatefulSet controller. */
  readonly statefulSetMode: "full" | "assist";
  readonly onProblem?: (problem: unknown) => void;
  observe?(controller: string): ControllerObserver;
  readonly gauge?: OperatorMetrics["gauge"];
}

export interface RunningController {
  readonly caches?: readonly Cache[];
  stop(): Promise<void>;
}

interface SharedContext extends ControllerContext {
  readonly caches: GroveCaches;
}

type Start = (context: SharedContext) => Promise<RunningController>;

interface Startable extends RunningController {
  start(): Promise<void>;
}

/** Does not wait for its first lists: they come when the definitions of its kinds are installed. */
function startOnceServed(
  controller: Startable,
  { onProblem }: ControllerContext,
): RunningController {
  controller.start().catch((problem: unknown) => onProblem?.(problem));
  return controller;
}

const known: Readonly<Record<string, Start>> = {
  podclique(context) {
    const observer = context.observe?.("podclique");
    return Promise.resolve(startOnceServed(podCliqueController({ ...context, observer }), context));
  },
  podgang(context) {
    const observer = context.observe?.("podgang");
    return Promise.resolve(startOnceServed(podGangController({ ...context, observer }), context));
  },
  podcliqueset(context) {
    const observer = context.observe?.("podcliqueset");
    const controller = podCliqueSetController({ ...context, observer });
    return Promise.resolve(startOnceServed(controller, context));
  },
  podcliquescalinggroup(context) {
    const observer = context.observe?.("podcliquescalinggroup");
    const controller = scalingGroupController({ ...context, observer });
    return Promise.resolve(startOnceServed(controller, context));
  },
  async statefulset(context) {
    const controller = statefulSetController({
      ...context,
      mode: context.statefulSetMode,
      observer: context.observe?.("statefulset"),
    });
    await controller.start();
    return controller;
  },
};

/** `all`, `none`, or names separated by commas. */
export function chooseControllers(list: string): string[] {
  const all = Object.keys(known).toSorted();
  if (list === "all") return all;
  if (list === "none") return [];
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const unknown = names.find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return [...new Set(names)];
  throw new UserError({
    problem: `--controllers: there is no controller "${unknown}"`,
    fix: `choose from ${all.join(", ")}, or say all or none`,
  });
}

export async function startControllers(
  names: readonly string[],
  context: ControllerContext,
): Promise<RunningController[]> {
  const shared = { ...context, caches: groveCaches(context) };
  const starts = names.flatMap((name) => (known[name] === undefined ? [] : [known[name]]));
  return Promise.all(starts.map((start) => start(shared)));
}
