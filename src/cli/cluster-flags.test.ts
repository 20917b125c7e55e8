import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { clusterFlagsOf, localKubeconfig, withFlagsLast } from "./cluster-flags.ts";

const started = mkdtempSync(join(tmpdir(), "cluster-flags-"));
mkdirSync(dirname(join(started, localKubeconfig)));
writeFileSync(join(started, localKubeconfig), "");
afterAll(() => rmSync(started, { recursive: true }));

interface Case {
  readonly line: string;
  readonly folder?: string;
  readonly variable?: string;
  readonly lockstep?: string;
  readonly kubectl?: string;
}

const cases: Record<string, Case> = {
  "nothing where nothing was named": { line: "pause sts/web" },
  "a context": { line: "pause sts/web --context prod", lockstep: " --context prod" },
  "both, in either form": {
    line: "--context=prod pause sts/web --kubeconfig a/b",
    lockstep: " --kubeconfig a/b --context prod",
  },
  "a name that the shell would read": {
    line: "pause sts/web --context=eu;prod",
    lockstep: " --context 'eu;prod'",
  },
  "the cluster of this folder, which only lockstep finds": {
    line: "why sts/web",
    folder: started,
    kubectl: " --kubeconfig .lockstep/kubeconfig",
  },
  "not that one where another is named": {
    line: "why sts/web",
    folder: started,
    variable: "/etc/kubeconfig",
  },
};

test.each(Object.entries(cases))("commands to type name %s", (_what, each) => {
  const { line, folder = "/", variable, lockstep = "", kubectl = lockstep } = each;
  const environment = { KUBECONFIG: variable };
  expect(clusterFlagsOf(line.split(" "), { environment, workingDirectory: folder })).toEqual({
    lockstep,
    kubectl,
  });
});

const orders: Record<string, string> = {
  "list -A": "list -A",
  "--context prod -n team-a status sts/web": "status sts/web -n team-a --context prod",
  "--kubeconfig=a/b list -o json": "list -o json --kubeconfig=a/b",
  "--help": "--help",
  "--context": "--context",
};

test.each(Object.entries(orders))("%s is read as kubectl reads it", (line, want) => {
  expect(withFlagsLast(line.split(" ")).join(" ")).toBe(want);
});
