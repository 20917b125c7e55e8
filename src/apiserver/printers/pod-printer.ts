/** The table of pods. */
import { durationText } from "./age.ts";
import { age, name, orNone, printer, shown, wide } from "./columns.ts";
import { isConditionTrue, summarizePod } from "./pod-status.ts";
import type { PodSummary, PrintedPod } from "./pod-status.ts";

const summaries = new WeakMap<PrintedPod, PodSummary>();

/** Memoized, because three columns use it and stored pods never change. */
function summaryOf(pod: PrintedPod): PodSummary {
  const known = summaries.get(pod);
  if (known !== undefined) return known;
  const summary = summarizePod(pod);
  summaries.set(pod, summary);
  return summary;
}

function restartsText({ restarts, lastRestartMs }: PodSummary, nowMs: number): string {
  if (restarts === 0 || lastRestartMs === undefined) return String(restarts);
  return `${restarts} (${durationText(nowMs - lastRestartMs)} ago)`;
}

function gatesText(pod: PrintedPod): string {
  const gates = pod.spec.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) => isConditionTrue(pod, conditionType));
  return `${open.length}/${gates.length}`;
}

export const podPrinter = printer<PrintedPod>(
  name,
  shown("Ready", "Containers that are ready, of all that should run.", (pod) => {
    const { readyContainers, totalContainers } = summaryOf(pod);
    return `${readyContainers}/${totalContainers}`;
  }),
  shown("Status", "What the pod is doing, or why it is not.", (pod) => summaryOf(pod).reason),
  shown("Restarts", "How often containers were started again, and when last.", (pod, nowMs) =>
    restartsText(summaryOf(pod), nowMs),
  ),
  age,
  wide("IP", "First address of the pod.", (pod) => orNone(pod.status?.podIPs?.[0]?.ip)),
  wide("Node", "Node the pod is bound to.", (pod) => orNone(pod.spec.nodeName)),
  wide("Nominated Node", "Node the pod waits for while others make room.", (pod) =>
    orNone(pod.status?.nominatedNodeName),
  ),
  wide("Readiness Gates", "Extra readiness conditions that hold, of all asked for.", gatesText),
);
