/** How many ordered steps of a coordination are over: reached once their units are confirmed, then paused. */
import type { CoordinationStep, RollingCoordination } from "../../api/rbg/coordination.ts";
import { resolveAmount } from "../../planner/index.ts";

export interface StepRole {
  readonly role: string;
  /** As many as were updated and served lately. */
  readonly confirmed: number;
  readonly desired: number;
  /** What the partition keeps. */
  readonly kept: number;
}

interface Times {
  readonly steadyMs: number;
  readonly wallMs: number;
}

interface Reached {
  readonly target: string;
  readonly times: Times[];
}

const goalOf = (steps: readonly CoordinationStep[], role: string, desired: number): number =>
  Math.max(
    0,
    ...steps.map((step) => Math.min(desired, resolveAmount(step.roles[role] ?? 0, desired, "up"))),
  );

export class StepPromises {
  readonly #now: () => Times;
  readonly #reached = new Map<string, Reached>();

  constructor(now: () => Times) {
    this.#now = now;
  }

  /** `target` stands for what all roles are to be: another one begins anew. */
  see(
    name: string,
    target: string,
    { steps = [] }: RollingCoordination,
    roles: readonly StepRole[],
  ): void {
    const known = this.#reached.get(name);
    const reached = known?.target === target ? known : { target, times: [] };
    this.#reached.set(name, reached);
    const isReached = (count: number): boolean =>
      roles.every(({ role, confirmed, desired, kept }) => {
        const goal = goalOf(steps.slice(0, count), role, desired);
        return confirmed >= Math.min(goal, desired - kept);
      });
    while (reached.times.length < steps.length && isReached(reached.times.length + 1)) {
      reached.times.push(this.#now());
    }
  }

  /** How many units of a role may be asked by now; all, once every step is over. */
  limit(name: string, { steps = [] }: RollingCoordination, role: string, desired: number): number {
    const { times = [] } = this.#reached.get(name) ?? {};
    const open = steps.findIndex((step, index) => !this.#isOver(step, times[index]));
    return open < 0 ? desired : goalOf(steps.slice(0, open + 1), role, desired);
  }

  /** Operators report the time of a pause by the wall clock, in whole seconds; where it was moved, both count. */
  #isOver({ pause }: CoordinationStep, reached: Times | undefined): boolean {
    if (reached === undefined) return false;
    if (pause === undefined) return true;
    const neededMs = ((pause.seconds ?? Number.POSITIVE_INFINITY) - 1) * 1000;
    const { steadyMs, wallMs } = this.#now();
    return steadyMs - reached.steadyMs >= neededMs || wallMs - reached.wallMs >= neededMs;
  }
}
