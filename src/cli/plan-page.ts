/** A plan as one page that needs nothing but itself: a timeline to scrub, drawn before it is opened. Pure. */
import type { Plan, PlanDetails, PlannedComponent } from "../preview/plan.ts";
import { brief } from "../preview/warnings.ts";
import { pageScript, pageStyle } from "./plan-page-assets.ts";
import { factsOf, secondsText, stepText, verdictText } from "./plan-texts.ts";

/** Names and messages come from the cluster: they are shown, never run. */
const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);

/** Nothing is fetched, whatever stands in it. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

export function planPage(plan: Plan, details: PlanDetails): string {
  const { kind, namespace, name } = plan.object;
  const title = `${kind} ${namespace}/${name}`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<title>${escaped(`Plan of ${title}`)}</title><style>${pageStyle}</style></head><body><main>`,
    `<h1>${escaped(title)}</h1>`,
    `<p class="verdict ${plan.verdict}">${escaped(verdictText(plan))}</p>`,
    warnings(plan),
    timeline(plan, details),
    steps(plan),
    changes(details),
    facts(plan, details),
    `</main><script>${pageScript}</script></body></html>`,
  ].join("\n");
}

const section = (title: string, body: string): string =>
  body === "" ? "" : `<section><h2>${title}</h2>${body}</section>`;

const warnings = ({ warnings: all }: Plan): string =>
  all.length === 0
    ? ""
    : `<ul class="warnings">${all
        .map(({ code, message }) => `<li><b>${escaped(code)}</b> ${escaped(message)}</li>`)
        .join("")}</ul>`;

const facts = (plan: Plan, details: PlanDetails): string =>
  section(
    "In numbers",
    `<dl>${factsOf(plan, details)
      .map(([label, text]) => `<dt>${escaped(label)}</dt><dd>${escaped(text)}</dd>`)
      .join("")}</dl>`,
  );

const changes = ({ fields }: PlanDetails): string =>
  section(
    "What changes",
    fields.length === 0
      ? ""
      : `<ul class="fields">${fields
          .map(
            ({ path, before = "(none)", after = "(none)" }) =>
              `<li><code>${escaped(path)}</code> <del>${escaped(before)}</del> <ins>${escaped(after)}</ins></li>`,
          )
          .join("")}</ul>`,
  );

function timeline(plan: Plan, details: PlanDetails): string {
  const { components, durationSeconds } = plan;
  if (components.length === 0 || plan.verdict === "nothing") return "";
  const span = Math.max(1, durationSeconds);
  const rows = components.map((component) => componentRow(component, details, span));
  const slider =
    `<label class="scrub">Time <output>${secondsText(0)}</output>` +
    `<input type="range" min="0" max="${span}" step="1" value="0" aria-label="Time of the rollout"></label>`;
  return section("Available units over time", `${slider}<div class="rows">${rows.join("")}</div>`);
}

const height = 40;
const width = 600;

function componentRow(component: PlannedComponent, { curves }: PlanDetails, span: number): string {
  const { name, desired, promisedAvailable, lowestAvailable, peakSurge } = component;
  const points = curves[name] ?? [];
  const most = Math.max(1, desired, ...points.map(({ available }) => available));
  const x = (seconds: number): string => ((seconds / span) * width).toFixed(1);
  const y = (units: number): string => (height - (units / most) * (height - 4)).toFixed(1);
  const path = points.map(({ atSeconds, available }, index) => {
    const to = points[index + 1]?.atSeconds ?? span;
    return `L${x(atSeconds)},${y(available)}L${x(to)},${y(available)}`;
  });
  const isKept = lowestAvailable >= promisedAvailable;
  const surge = peakSurge === 0 ? "" : `, ${peakSurge} extra at most`;
  const summary = `lowest ${lowestAvailable} of ${desired}, promised ${promisedAvailable}${surge}`;
  return [
    `<div class="row${isKept ? "" : " broken"}" data-desired="${desired}" data-curve="${points
      .map(({ atSeconds, available }) => `${atSeconds}:${available}`)
      .join(" ")}">`,
    `<div class="name"><b>${escaped(name)}</b> <span class="now"></span></div>`,
    `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" `,
    `aria-label="${escaped(`${name}: ${summary}`)}">`,
    `<path class="area" d="M0,${height}${path.join("")}L${width},${height}Z"/>`,
    `<line class="promise" x1="0" x2="${width}" y1="${y(promisedAvailable)}" y2="${y(promisedAvailable)}"/>`,
    `<line class="cursor" x1="0" x2="0" y1="0" y2="${height}"/></svg>`,
    `<div class="summary">${escaped(summary)}</div></div>`,
  ].join("");
}

/** What a page shows of a plan of thousands of steps; the file of `-o json` has all of them. */
const stepsShown = 2_000;

function steps(plan: Plan): string {
  const lines = plan.steps.flatMap(({ atSeconds, writes, reason }) => {
    const text = stepText(writes, plan, Number.POSITIVE_INFINITY);
    return text === ""
      ? []
      : [
          `<li data-at="${atSeconds}"><time>${secondsText(atSeconds)}</time> <span>${escaped(text)}` +
            `<small>${escaped(brief(reason))}</small></span></li>`,
        ];
  });
  const hidden = lines.length - stepsShown;
  const more = hidden > 0 ? `<p>${hidden} more steps: see -o json</p>` : "";
  return section(
    "Steps",
    lines.length === 0 ? "" : `<ol>${lines.slice(0, stepsShown).join("")}</ol>${more}`,
  );
}
