/** A plan on one screen: what changes, how long it takes, who serves meanwhile, and what to know before. */
import type picocolors from "picocolors";
import type { Plan, PlanDetails, PlannedComponent, PlannedStep } from "../preview/plan.ts";
import { shortDuration } from "./event-table.ts";

export type Paint = ReturnType<typeof picocolors.createColors>;

const seconds = (count: number): string => shortDuration(count * 1000);

const verdicts = {
  completes: "completes",
  stalls: "will not finish",
  rests: "rests before the end",
  nothing: "nothing to do",
} as const;

export function drawPlan(plan: Plan, details: PlanDetails, paint: Paint): readonly string[] {
  const { object, verdict } = plan;
  const colour =
    verdict === "stalls" ? paint.red : verdict === "completes" ? paint.green : paint.yellow;
  return [
    `${paint.bold(`${object.kind} ${object.namespace}/${object.name}`)}: ${colour(verdicts[verdict])}${lasting(plan)}`,
    ...(details.changes === "" ? [] : [`  changes     ${details.changes}`]),
    `  ends with   ${details.ending}`,
    ...extra(plan),
    ...(details.longestWaitSeconds > 0
      ? [`  longest wait ${seconds(details.longestWaitSeconds)}`]
      : []),
    `  durations   ${details.durations}`,
    ...drawComponents(plan, details, paint),
    ...drawSteps(plan.steps, paint),
    ...drawWarnings(plan, paint),
  ];
}

const lasting = ({ verdict, durationSeconds }: Plan): string =>
  verdict === "nothing"
    ? ""
    : ` ${verdict === "stalls" ? "stops after" : "in"} ${seconds(durationSeconds)}`;

function extra({ peakExtra }: Plan): readonly string[] {
  const amounts = Object.entries(peakExtra).map(([name, amount]) => `${amount} ${name}`);
  return amounts.length === 0 ? [] : [`  extra       ${amounts.join(", ")} at the worst moment`];
}

const barWidth = 48;
const levels = " ▁▂▃▄▅▆▇█";

function drawComponents(plan: Plan, details: PlanDetails, paint: Paint): readonly string[] {
  const { components, durationSeconds } = plan;
  if (components.length === 0 || plan.verdict === "nothing") return [];
  const width = Math.max(...components.map(({ name }) => name.length));
  const lines = components.map((component) => {
    const curve = details.curves[component.name] ?? [];
    const isKept = component.lowestAvailable >= component.promisedAvailable;
    const lowest = `lowest ${component.lowestAvailable}/${component.desired}`;
    const promise = `promised ${component.promisedAvailable}`;
    const surge = component.peakSurge === 0 ? "" : `, ${component.peakSurge} extra`;
    const text = `${lowest}, ${promise}${surge}`;
    const drawn = drawCurve(curve, component, durationSeconds);
    return `  ${component.name.padEnd(width)} ${drawn} ${isKept ? text : paint.red(text)}`;
  });
  return ["", paint.dim(`  available units from now to ${seconds(durationSeconds)}`), ...lines];
}

/** The fewest that are available in each part of the time. */
function drawCurve(
  curve: readonly { readonly atSeconds: number; readonly available: number }[],
  { desired }: PlannedComponent,
  durationSeconds: number,
): string {
  const span = Math.max(1, durationSeconds);
  return Array.from({ length: barWidth }, (_, cell) => {
    const [from, to] = [(cell * span) / barWidth, ((cell + 1) * span) / barWidth];
    const before = curve.findLast(({ atSeconds }) => atSeconds <= from)?.available ?? 0;
    const within = curve
      .filter(({ atSeconds }) => atSeconds > from && atSeconds < to)
      .map(({ available }) => available);
    const fewest = Math.min(before, ...within);
    const level = desired === 0 ? 0 : Math.round((Math.min(fewest, desired) / desired) * 8);
    return levels[level] ?? " ";
  }).join("");
}

const stepsShown = 14;

function drawSteps(steps: readonly PlannedStep[], paint: Paint): readonly string[] {
  const visible = steps.flatMap(({ atSeconds, writes }) => {
    const text = inWords(writes);
    return text === "" ? [] : [`  ${seconds(atSeconds).padStart(6)}  ${text}`];
  });
  if (visible.length === 0) return [];
  const hidden = visible.length - stepsShown;
  const half = stepsShown / 2;
  const shown =
    hidden <= 0
      ? visible
      : [
          ...visible.slice(0, half),
          paint.dim(`          ... ${hidden} more steps, all of them with -o json`),
          ...visible.slice(-half),
        ];
  return ["", ...shown];
}

/** Pods, and what stands for several of them; the rest is bookkeeping. */
const shownResources: ReadonlySet<string> = new Set([
  "pods",
  "podcliques",
  "placementdecisions",
  "managedclusteraddons",
]);

function inWords(writes: PlannedStep["writes"]): string {
  const verbs = ["delete", "create"] as const;
  return verbs
    .flatMap((verb) => {
      const names = writes
        .filter((write) => write.verb === verb && shownResources.has(write.resource))
        .map(({ name }) => name);
      const more = names.length - 4;
      const list = [...names.slice(0, 4), ...(more > 0 ? [`${more} more`] : [])].join(", ");
      return names.length === 0 ? [] : [`${verb} ${list}`];
    })
    .join("; ");
}

const drawWarnings = ({ warnings }: Plan, paint: Paint): readonly string[] =>
  warnings.length === 0
    ? []
    : ["", ...warnings.map(({ code, message }) => `  ${paint.yellow(code)}: ${message}`)];
