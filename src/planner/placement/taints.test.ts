/** Which taints of a cluster keep it from being selected. */
import { expect, test } from "vitest";
import type { Taint, TaintEffect, Toleration } from "./candidates.ts";
import { toleratedUntilMs } from "./taints.ts";

const nowMs = 1_000_000;
const second = 1000;

const taint = (effect: TaintEffect, text: string, agedSeconds = 0): Taint => {
  const [key = "", value = ""] = text.split("=");
  return { key, value, effect, addedMs: nowMs - agedSeconds * second };
};

/** `gpu=a NoSelect` is Equal, `gpu NoSelect` and `* ` are Exists. */
function toleration(text: string, seconds?: number): Toleration {
  const [what = "", effect] = text.split(" ");
  const [key = "", value] = what.split("=");
  return {
    key: key === "*" ? "" : key,
    operator: value === undefined ? "Exists" : "Equal",
    value: value ?? "",
    effect: effect as TaintEffect | undefined,
    seconds,
  };
}

interface Tainted {
  readonly taints: readonly Taint[];
  readonly tolerations?: readonly Toleration[];
  readonly isListed?: boolean;
  readonly want: boolean;
}

const gpu = taint("NoSelect", "gpu=a");
const ifNew = taint("NoSelectIfNew", "gpu=a");
const tainted: Record<string, Tainted> = {
  "no taint needs no toleration": { taints: [], want: true },
  "NoSelect without a toleration": { taints: [gpu], want: false },
  "NoSelect without a toleration on a selected cluster": {
    taints: [gpu],
    isListed: true,
    want: false,
  },
  "PreferNoSelect is always tolerated": { taints: [taint("PreferNoSelect", "gpu=a")], want: true },
  "NoSelectIfNew keeps new clusters away": { taints: [ifNew], want: false },
  "NoSelectIfNew leaves selected clusters alone": { taints: [ifNew], isListed: true, want: true },
  "NoSelectIfNew with a toleration": {
    taints: [ifNew],
    tolerations: [toleration("gpu=a NoSelectIfNew")],
    want: true,
  },
  "Equal with the same value": {
    taints: [gpu],
    tolerations: [toleration("gpu=a NoSelect")],
    want: true,
  },
  "Equal with another value": {
    taints: [gpu],
    tolerations: [toleration("gpu=b NoSelect")],
    want: false,
  },
  "Equal with another key": { taints: [gpu], tolerations: [toleration("cpu=a")], want: false },
  "Equal with an empty value of both": {
    taints: [taint("NoSelect", "gpu")],
    tolerations: [toleration("gpu=")],
    want: true,
  },
  "Exists takes any value": { taints: [gpu], tolerations: [toleration("gpu")], want: true },
  "Exists with another key": { taints: [gpu], tolerations: [toleration("cpu")], want: false },
  "Exists without a key takes every taint": {
    taints: [gpu, ifNew],
    tolerations: [toleration("*")],
    want: true,
  },
  "another effect does not match": {
    taints: [gpu],
    tolerations: [toleration("gpu=a NoSelectIfNew")],
    want: false,
  },
  "no effect matches every effect": {
    taints: [gpu],
    tolerations: [toleration("gpu=a")],
    want: true,
  },
  "every taint has to be tolerated": {
    taints: [gpu, taint("NoSelect", "old")],
    tolerations: [toleration("gpu=a")],
    want: false,
  },
  "one toleration for each taint": {
    taints: [gpu, taint("NoSelect", "old")],
    tolerations: [toleration("gpu=a"), toleration("old")],
    want: true,
  },
  "an effect without a key matches its effect": {
    taints: [gpu],
    tolerations: [toleration("* NoSelect")],
    want: true,
  },
  "an effect without a key leaves other effects": {
    taints: [ifNew],
    tolerations: [toleration("* NoSelect")],
    want: false,
  },
  "a taint that is too old for its toleration": {
    taints: [taint("NoSelect", "gpu=a", 10)],
    tolerations: [toleration("gpu", 10)],
    want: false,
  },
  "a taint that is young enough": {
    taints: [taint("NoSelect", "gpu=a", 9)],
    tolerations: [toleration("gpu", 10)],
    want: true,
  },
  "a taint without a time ends a toleration for some time": {
    taints: [{ ...gpu, addedMs: undefined }],
    tolerations: [toleration("gpu", 10)],
    want: false,
  },
  "a taint without a time is tolerated for ever": {
    taints: [{ ...gpu, addedMs: undefined }],
    tolerations: [toleration("gpu")],
    want: true,
  },
  "of several tolerations the one that lasts longest counts": {
    taints: [taint("NoSelect", "gpu=a", 10)],
    tolerations: [toleration("gpu", 5), toleration("* NoSelect", 20)],
    want: true,
  },
  "a selected cluster stays when its toleration of NoSelectIfNew has ended": {
    taints: [taint("NoSelectIfNew", "gpu=a", 60)],
    tolerations: [toleration("gpu", 10)],
    isListed: true,
    want: true,
  },
};

test.each(Object.entries(tainted))("PL15 %s", (_rule, { taints, tolerations, isListed, want }) => {
  const cluster = { taints, isListed: isListed ?? false };
  expect(toleratedUntilMs(cluster, tolerations ?? [], nowMs) !== undefined).toBe(want);
});
