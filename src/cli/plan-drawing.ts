/** A plan on one screen: what changes, who serves meanwhile, the steps, and what to know before. */
import type { Plan, PlanDetails, PlannedComponent, PlanWarning } from "../preview/plan.ts";
import type { Colours } from "./paint.ts";
import { factsOf, secondsText, stepText, verdictText } from "./plan-texts.ts";

const verdictColours = {
  completes: "green",
  stalls: "red",
  rests: "yellow",
  nothing: "yellow",
} as const;

export function drawPlan(plan: Plan, details: PlanDetails, paint: Colours): readonly string[] {
  const { object, verdict, warnings } = plan;
  const colour = paint[verdictColours[verdict]];
  // Why it cannot finish comes first; what else to know comes last.
  const [why, others] =
    verdict === "stalls" ? [warnings.slice(0, 1), warnings.slice(1)] : [[], warnings];
  return [
    `${paint.bold(`${object.kind} ${object.namespace}/${object.name}`)}: ${colour(verdictText(plan))}`,
    ...why.map((warning) => drawWarning(warning, paint.red)),
    ...drawChanges(plan, details, paint),
    ...drawComponents(plan, details, paint),
    ...drawSteps(plan, paint),
    "",
    ...factsOf(plan, details).map(([label, text]) => `  ${paint.dim(label.padEnd(12))} ${text}`),
    ...others.map((warning) => drawWarning(warning, paint.yellow)),
  ];
}

const drawWarning = ({ code, message }: PlanWarning, colour: Colours["red"]): string =>
  `  ${colour(`! ${code}`)} ${message}`;

const changesShown = 6;

const underWay = "nothing: this is what is under way already";

function drawChanges(
  { verdict }: Plan,
  { changes, fields }: PlanDetails,
  paint: Colours,
): readonly string[] {
  if (fields.length === 0) {
    const text = changes !== "" ? changes : verdict === "nothing" ? "" : underWay;
    return text === "" ? [] : [`  ${paint.dim("changes     ")} ${text}`];
  }
  const lines = fields
    .slice(0, changesShown)
    .map(
      ({ path, before = "(none)", after = "(none)" }, at) =>
        `  ${paint.dim((at === 0 ? "changes" : "").padEnd(12))} ${shortPath(path)} ` +
        `${paint.red(before)} -> ${paint.green(after)}`,
    );
  const more = fields.length - changesShown;
  return more > 0 ? [...lines, `${" ".repeat(15)}and ${more} more fields`] : lines;
}

/** Levels that every such path has say nothing. */
const shortPath = (path: string): string =>
  path
    .split(".")
    .filter((word) => !idleWords.has(word))
    .join(".");

const idleWords: ReadonlySet<string> = new Set([
  "spec",
  "podSpec",
  "template",
  "cliques",
  "roles",
  "containers",
]);

const barWidth = 40;
const levels = " ▁▂▃▄▅▆▇█";
const componentsShown = 12;

function drawComponents(plan: Plan, details: PlanDetails, paint: Colours): readonly string[] {
  const { components, durationSeconds, verdict } = plan;
  if (components.length === 0 || verdict === "nothing") return [];
  const shown = mostAffected(components);
  const width = Math.max("available".length, ...shown.map(({ name }) => name.length));
  const end = secondsText(durationSeconds);
  const axis = durationSeconds === 0 ? "" : `now${end.padStart(barWidth - 3)}`;
  const lines = shown.map((component) => {
    const isKept = component.lowestAvailable >= component.promisedAvailable;
    const drawn = drawCurve(details.curves[component.name] ?? [], component, durationSeconds);
    const text = countsOf(component);
    return `  ${component.name.padEnd(width)}  ${drawn}  ${isKept ? text : paint.red(text)}`;
  });
  const more = components.length - shown.length;
  return [
    "",
    paint.dim(
      `  ${"available".padEnd(width)}  ${axis.padEnd(durationSeconds === 0 ? 0 : barWidth)}  lowest promised extra`,
    ),
    ...lines,
    ...(more > 0
      ? [paint.dim(`  and ${more} more components that are affected no more than these`)]
      : []),
  ];
}

const countsOf = ({ desired, lowestAvailable, promisedAvailable, peakSurge }: PlannedComponent) =>
  [
    `${lowestAvailable}/${desired}`.padStart(6),
    `${promisedAvailable}`.padStart(8),
    `${peakSurge}`.padStart(5),
  ].join(" ");

/** Those that lose most, in the order of the plan. */
function mostAffected(components: readonly PlannedComponent[]): readonly PlannedComponent[] {
  const lost = ({ lowestAvailable, desired }: PlannedComponent): number =>
    desired === 0 ? 0 : 1 - lowestAvailable / desired;
  const chosen = new Set(
    components.toSorted((a, b) => lost(b) - lost(a)).slice(0, componentsShown),
  );
  return components.filter((component) => chosen.has(component));
}

/** The fewest that are available in each part of the time. */
function drawCurve(
  curve: readonly { readonly atSeconds: number; readonly available: number }[],
  { desired }: PlannedComponent,
  durationSeconds: number,
): string {
  if (durationSeconds === 0) return "";
  // Of what leaves nothing is desired.
  const whole = desired > 0 ? desired : (curve[0]?.available ?? 0);
  return Array.from({ length: barWidth }, (_, cell) => {
    const [from, to] = [cell, cell + 1].map((at) => (at * durationSeconds) / barWidth) as [
      number,
      number,
    ];
    const before = curve.findLast(({ atSeconds }) => atSeconds <= from)?.available ?? 0;
    const within = curve
      .filter(({ atSeconds }) => atSeconds > from && atSeconds < to)
      .map(({ available }) => available);
    const fewest = Math.min(before, ...within);
    const level = whole === 0 ? 0 : Math.round((Math.min(fewest, whole) / whole) * 8);
    return levels[level] ?? " ";
  }).join("");
}

const stepsShown = 10;
const namesShown = 4;

function drawSteps(plan: Plan, paint: Colours): readonly string[] {
  // A PlacementDecision is patched to grow, to change its group and to shrink.
  const isPlacement = plan.object.kind === "Placement";
  const visible = plan.steps.flatMap(({ atSeconds, writes, reason }) => {
    const text = stepText(writes, plan, namesShown);
    const why = isPlacement ? paint.dim(`: ${reason}`) : "";
    const time = paint.dim(secondsText(atSeconds).padStart(6));
    return text === "" ? [] : [`  ${time}  ${text}${why}`];
  });
  if (visible.length === 0) return [];
  const hidden = visible.length - stepsShown;
  const half = stepsShown / 2;
  const shown =
    hidden <= 1
      ? visible
      : [
          ...visible.slice(0, half),
          paint.dim(`          ... ${hidden} more steps: -o json or --html has them all`),
          ...visible.slice(-half),
        ];
  return ["", ...shown];
}
