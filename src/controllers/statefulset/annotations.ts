/** What people may say on a StatefulSet beyond its fields, read once at the edge. */
import type { StatefulSet } from "../../api/apps.ts";

export const annotationNames = {
  maxUnavailable: "lockstep.dev/max-unavailable",
  orderedReady: "lockstep.dev/ordered-ready",
  brokenPods: "lockstep.dev/broken-pods",
  paused: "lockstep.dev/paused",
  partition: "lockstep.dev/partition",
  aheadOfPartition: "lockstep.dev/ahead-of-partition",
  progressDeadlineSeconds: "lockstep.dev/progress-deadline-seconds",
} as const;

export interface AnnotationOverrides {
  readonly maxUnavailable?: number | string;
  readonly strict: boolean;
  readonly brokenPodsWait: boolean;
  readonly paused: boolean;
  readonly partition?: number;
  /** Ordinals below the partition that are updated all the same. */
  readonly ahead?: ReadonlySet<number>;
  readonly progressDeadlineSeconds?: number;
  /** What could not be understood: reported in events, and treated as not said. */
  readonly problems: readonly string[];
}

export function readOverrides(set: StatefulSet): AnnotationOverrides {
  const annotations = set.metadata.annotations ?? {};
  const problems: string[] = [];
  const read = <T>(
    key: string,
    parse: (text: string) => T | undefined,
    want: string,
  ): T | undefined => {
    const text = annotations[key];
    if (text === undefined) return undefined;
    const value = parse(text.trim());
    if (value === undefined)
      problems.push(`annotation ${key}: "${text}" is ignored; write ${want}`);
    return value;
  };
  return {
    maxUnavailable: read(
      annotationNames.maxUnavailable,
      amount,
      'a number above 0 such as "2", or "25%"',
    ),
    strict:
      read(annotationNames.orderedReady, oneOf("Strict", "Rounds"), "Strict or Rounds") ===
      "Strict",
    brokenPodsWait:
      read(annotationNames.brokenPods, oneOf("Wait", "Replace"), "Wait or Replace") === "Wait",
    paused: read(annotationNames.paused, oneOf("true", "false"), '"true" or "false"') === "true",
    partition: read(annotationNames.partition, wholeNumber, "a whole number"),
    ahead: read(annotationNames.aheadOfPartition, ordinals, 'ordinals such as "0,3"'),
    progressDeadlineSeconds: read(
      annotationNames.progressDeadlineSeconds,
      positiveNumber,
      "a whole number of seconds above 0",
    ),
    problems,
  };
}

/** `2` or `25%`, above zero and at most 100%. */
function amount(text: string): number | string | undefined {
  const percent = /^([0-9]+)%$/.exec(text)?.[1];
  if (percent !== undefined) {
    return Number(percent) > 0 && Number(percent) <= 100 ? text : undefined;
  }
  return positiveNumber(text);
}

const wholeNumber = (text: string): number | undefined =>
  /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;

function ordinals(text: string): ReadonlySet<number> | undefined {
  const parts = text.split(",");
  const found = parts.flatMap((each) => wholeNumber(each.trim()) ?? []);
  return found.length === parts.length ? new Set(found) : undefined;
}

const positiveNumber = (text: string): number | undefined => {
  const value = wholeNumber(text);
  return value === 0 ? undefined : value;
};

const oneOf =
  <T extends string>(...allowed: readonly T[]) =>
  (text: string): T | undefined =>
    allowed.find((value) => value.toLowerCase() === text.toLowerCase());
