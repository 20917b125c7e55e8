import { expect, test } from "vitest";
import type { PodSpec } from "./pod-types.ts";
import { applyPriority, systemPriorityClasses, type PriorityClass } from "./priority.ts";

const named = (name: string, value: number, more: Partial<PriorityClass> = {}): PriorityClass => ({
  metadata: { name },
  value,
  preemptionPolicy: "PreemptLowerPriority",
  ...more,
});
const high = named("high", 1000, { preemptionPolicy: "Never" });
const usual = named("usual", 5, { globalDefault: true });

const resolved: Record<string, { given: PodSpec; classes: PriorityClass[]; want: PodSpec }> = {
  "without classes the priority is zero": {
    given: {},
    classes: [high],
    want: { priority: 0, preemptionPolicy: "PreemptLowerPriority" },
  },
  "a class gives its value": {
    given: { priorityClassName: "high" },
    classes: [high, usual],
    want: { priorityClassName: "high", priority: 1000, preemptionPolicy: "Never" },
  },
  "the default class is named in the pod": {
    given: {},
    classes: [high, usual],
    want: { priorityClassName: "usual", priority: 5, preemptionPolicy: "PreemptLowerPriority" },
  },
  "of two defaults the lower counts": {
    given: {},
    classes: [usual, named("low", 1, { globalDefault: true })],
    want: { priorityClassName: "low", priority: 1, preemptionPolicy: "PreemptLowerPriority" },
  },
  "system classes are classes": {
    given: { priorityClassName: "system-node-critical" },
    classes: [...systemPriorityClasses],
    want: {
      priorityClassName: "system-node-critical",
      priority: 2_000_001_000,
      preemptionPolicy: "PreemptLowerPriority",
    },
  },
};

test.each(Object.entries(resolved))("%s", (_case, { given, classes, want }) => {
  const spec = structuredClone(given);
  expect(applyPriority(spec, classes)).toBeUndefined();
  expect(spec).toEqual(want);
});

/** Texts of a real server. */
const refused: Record<string, { given: PodSpec; want: string }> = {
  "an unknown class": {
    given: { priorityClassName: "nope" },
    want: "no PriorityClass with name nope was found",
  },
  "a priority of one's own": {
    given: { priority: 7 },
    want:
      "the integer value of priority (7) must not be provided in pod spec; " +
      "priority admission controller computed 0 from the given PriorityClass name",
  },
  "a policy of one's own": {
    given: { preemptionPolicy: "Z" },
    want:
      "the string value of PreemptionPolicy (Z) must not be provided in pod spec; " +
      "priority admission controller computed PreemptLowerPriority from the given PriorityClass name",
  },
};

test.each(Object.entries(refused))("%s is forbidden", (_case, { given, want }) => {
  expect(applyPriority(structuredClone(given), [high])).toBe(want);
});
