import { expect, test } from "vitest";
import type { Pod } from "../../api/pod.ts";
import type { Diagnosis } from "./reasons.ts";
import { WaitingPods } from "./waiting-pods.ts";

const noGpus: Diagnosis = { message: "no gpus", blockers: new Set(["resource nvidia.com/gpu"]) };

/** The class of a pod is the part of its name before the dash. */
function waitingPods() {
  return new WaitingPods((pod) => pod.metadata.name!.split("-")[0]!);
}

function pod(name: string, priority = 0): Pod {
  return { metadata: { name, uid: name }, spec: { containers: [], priority } };
}

/** Tries everything that is queued; no pod fits on a node. */
function tryAll(waiting: WaitingPods): string[] {
  const tried: string[] = [];
  for (let next = waiting.take(); next !== undefined; next = waiting.take()) {
    tried.push(next.diagnosis === undefined ? next.waiting.key : `${next.waiting.key} (known)`);
    waiting.markUnschedulable(next.waiting, next.diagnosis ?? noGpus);
  }
  return tried;
}

test("the first pod of a class is tried, the others share its result", () => {
  const waiting = waitingPods();
  for (const name of ["a-0", "a-1", "b-0", "a-2"]) waiting.put(pod(name));
  expect(tryAll(waiting)).toEqual(["a-0", "a-1 (known)", "b-0", "a-2 (known)"]);
});

test("a change retries one pod of each class that it can help, and no other", () => {
  const waiting = waitingPods();
  for (const name of ["a-0", "a-1", "b-0", "b-1"]) waiting.put(pod(name));
  tryAll(waiting);
  waiting.activate("spread");
  expect(tryAll(waiting)).toEqual([]);
  waiting.activate("resource nvidia.com/gpu");
  expect(tryAll(waiting)).toEqual(["a-0", "b-0"]);
});

test("when a pod gets a node the next one of its class is tried", () => {
  const waiting = waitingPods();
  for (const name of ["a-0", "a-1", "a-2"]) waiting.put(pod(name));
  tryAll(waiting);
  waiting.activate("resource nvidia.com/gpu");
  waiting.placed(waiting.take()!.waiting.key);
  expect(tryAll(waiting)).toEqual(["a-1"]);
});

test("higher priorities are tried first, equal ones in order of arrival", () => {
  const waiting = waitingPods();
  for (const each of [pod("a", 1), pod("b", 5), pod("c", 1), pod("d", 5)]) waiting.put(each);
  expect(tryAll(waiting)).toEqual(["b", "d", "a", "c"]);
});

test("a surplus pod of a gang is tried after other pods of the same priority", () => {
  const waiting = waitingPods();
  for (const each of [pod("a", 1), pod("b", 1), pod("c", 0)]) waiting.put(each);
  waiting.defer(waiting.take()!.waiting);
  expect(tryAll(waiting)).toEqual(["b", "a", "c"]);
});

test("when the pod that is tried for its class is removed, the next one is tried", () => {
  const waiting = waitingPods();
  for (const name of ["a-0", "a-1", "a-2"]) waiting.put(pod(name));
  tryAll(waiting);
  waiting.activate("resource nvidia.com/gpu");
  waiting.remove("a-0");
  expect(tryAll(waiting)).toEqual(["a-1"]);
});

test("a removed pod is not tried any more, whether it was queued or unschedulable", () => {
  const waiting = waitingPods();
  waiting.put(pod("a-0"));
  tryAll(waiting);
  waiting.put(pod("b-0"));
  waiting.remove("a-0");
  waiting.remove("b-0");
  waiting.activateAll();
  expect(tryAll(waiting)).toEqual([]);
});
