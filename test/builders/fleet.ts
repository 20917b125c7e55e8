/** Draws fleets for planner tests: `snapshot("v1 v1! v2~ -")` has a broken, a terminating and a missing unit. */
import { nothingRequested, type Rollout, type Snapshot } from "../../src/planner/rollout.ts";
import type { Unit, UnitHealth } from "../../src/planner/unit.ts";

export interface Drawn extends Partial<Omit<Rollout, "name">> {
  readonly nowMs?: number;
}

/** `!` unavailable, `?` pending and unscheduled, `.` pending on a node, `+` and serving, `'` ready, `~` terminating. */
const healthByMark: Readonly<Record<string, UnitHealth>> = {
  "!": "unavailable",
  "?": "pending",
  ".": "pending",
  "+": "pending",
  "'": "ready",
  "~": "terminating",
  "#": "unavailable",
};

/** Marks stand for ordinals 0, 1, 2 ...; `5=v1` names its ordinal; `#` failed for good. */
export function units(drawing: string, name = "web"): Unit[] {
  const marks = drawing.split(" ").filter((mark) => mark !== "" && mark !== "|");
  return marks.flatMap((mark, position) => {
    const [, place, text = ""] = /^(?:(\d+)=)?(.*)$/.exec(mark)!;
    return text === "-" ? [] : [unit(name, place === undefined ? position : Number(place), text)];
  });
}

function unit(name: string, ordinal: number, mark: string): Unit {
  const flag = mark.slice(-1);
  const revision = mark.replace(/[!?.+'~#]$/, "");
  return {
    name: `${name}-${ordinal}`,
    id: `${name}-${ordinal}/${revision}`,
    ordinal,
    revision,
    health: healthByMark[flag] ?? "available",
    scheduled: flag !== "?",
    createdAtMs: ordinal,
    ...(flag === "#" ? { failed: true } : {}),
    ...(flag === "+" ? { isServing: true } : {}),
  };
}

export function snapshot(drawing: string, drawn: Drawn = {}): Snapshot {
  const { nowMs = 1_000_000, ...rollout } = drawn;
  const drawnUnits = units(drawing);
  return {
    nowMs,
    units: drawnUnits,
    requested: nothingRequested,
    rollout: {
      name: "web",
      targetRevision: "v2",
      previousRevision: "v1",
      desired: drawing.split(" ").filter((mark) => mark !== "").length,
      paused: false,
      ...rollout,
    },
  };
}
