/** The words of a plan, for the terminal and for its page alike. Pure. */
import type { Plan, PlanDetails, PlannedComponent, PlannedWrite } from "../preview/plan.ts";
import { shortDuration } from "./event-table.ts";

/** Minutes alone are shown of what takes long: the nearest ones. */
const longSeconds = 600;

export const secondsText = (count: number): string =>
  shortDuration((count < longSeconds ? count : Math.round(count / 60) * 60) * 1000);

export function verdictText({ verdict, durationSeconds, warnings }: Plan): string {
  const time = secondsText(durationSeconds);
  switch (verdict) {
    case "completes":
      return durationSeconds === 0 ? "completes at once" : `completes in ${time}`;
    case "rests":
      return durationSeconds === 0 ? "rests at once" : `rests before the end, after ${time}`;
    case "stalls":
      if (warnings[0]?.code === "RolledBack") return `will not finish: it goes back within ${time}`;
      return `will not finish: it stops ${durationSeconds === 0 ? "at once" : `after ${time}`}`;
    case "nothing":
      return "nothing to do";
  }
}

/** What the timeline does not show, as labels and sentences. */
export function factsOf(plan: Plan, details: PlanDetails): readonly (readonly [string, string])[] {
  const { peakExtra, components, verdict, object } = plan;
  const isPlacement = object.kind === "Placement";
  const extra = Object.entries(peakExtra).map(([name, amount]) => `${amount} ${name}`);
  const surge = components.reduce((most, { peakSurge }) => Math.max(most, peakSurge), 0);
  return [
    ...(details.ending === "" || verdict === "stalls"
      ? []
      : [["ends with", details.ending] as const]),
    ...(verdict === "nothing"
      ? []
      : [["peak extra", [...extra, surgeText(surge, isPlacement)].join(", ")] as const]),
    ...(details.longestWaitSeconds > 0
      ? [["longest wait", secondsText(details.longestWaitSeconds)] as const]
      : []),
    // Nothing starts or stops.
    ...(isPlacement ? [] : [["durations", details.durations] as const]),
  ];
}

function surgeText(units: number, isPlacement: boolean): string {
  if (isPlacement) {
    const noun = units === 1 ? "cluster" : "clusters";
    return units === 0 ? "no cluster is listed twice" : `${units} ${noun} listed twice on the way`;
  }
  return units === 0
    ? "no unit beyond what is desired"
    : `${units} beyond what is desired in one component`;
}

/** Pods, and what stands for several of them; the rest is bookkeeping. */
const shownResources: ReadonlySet<string> = new Set(["pods", "podcliques", "placementdecisions"]);

/** `delete web-{3..5}; create chat-0-decode-1 (4 pods)`; at most so many names per verb. */
export function stepText(
  writes: readonly PlannedWrite[],
  { components }: Pick<Plan, "components">,
  most: number,
): string {
  return (["delete", "create", "patch"] as const)
    .flatMap((verb) => {
      const own = writes.filter((write) => write.verb === verb && isShown(write, writes));
      const names = inRanges(inUnits(own, components));
      const shown = names.length === most + 1 ? names.length : most;
      const more = names.length - shown;
      const list = [...names.slice(0, shown), ...(more > 0 ? [`${more} more`] : [])].join(", ");
      return names.length === 0 ? [] : [`${verb} ${list}`];
    })
    .join("; ");
}

/** Pods that come or go with others of their unit are counted under its name. */
function inUnits(
  writes: readonly PlannedWrite[],
  components: readonly PlannedComponent[],
): readonly string[] {
  const pods = new Map<string, string[]>();
  for (const { name } of writes) {
    const component = components.find((each) => name.startsWith(`${each.name}-`))?.name ?? "";
    const number = /^-(\d+)-/.exec(name.slice(component.length))?.[1];
    const unit = number === undefined || component === "" ? name : `${component}-${number}`;
    pods.set(unit, [...(pods.get(unit) ?? []), name]);
  }
  return [...pods].map(([unit, names]) =>
    names.length === 1 ? (names[0] ?? unit) : `${unit} (${names.length} pods)`,
  );
}

/** A clique is deleted with its pods, and these say it already. */
function isShown({ resource, verb }: PlannedWrite, all: readonly PlannedWrite[]): boolean {
  if (resource !== "podcliques") return shownResources.has(resource);
  return verb !== "patch" && !all.some((other) => other.resource === "pods" && other.verb === verb);
}

/** `web-3, web-4, web-5` become `web-{3..5}`; the order of the first ones stays. */
export function inRanges(names: readonly string[]): readonly string[] {
  const numbers = new Map<string, number[]>();
  for (const name of names) {
    const [, prefix = name, number] = /^(.*-)(\d+)$/.exec(name) ?? [];
    numbers.set(prefix, [
      ...(numbers.get(prefix) ?? []),
      ...(number === undefined ? [] : [Number(number)]),
    ]);
  }
  return [...numbers].flatMap(([prefix, found]) =>
    found.length === 0 ? [prefix] : runsOf(found).map((run) => `${prefix}${run}`),
  );
}

function runsOf(numbers: readonly number[]): readonly string[] {
  const runs: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `{${from}..${to}}`));
}
