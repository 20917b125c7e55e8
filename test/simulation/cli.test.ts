/** `lockstep sim` as people and programs use it. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import type { Script } from "../../src/simulation/script.ts";
import { cliOf } from "../builders/cli.ts";

/** No cluster is reached. */
const transport = {
  request: () => Promise.reject(new Error("a simulation asks no cluster")),
  stream: () => Promise.reject(new Error("a simulation asks no cluster")),
};

const { lockstep } = cliOf({ clock: new VirtualClock(), transport });
const folder = mkdtempSync(join(tmpdir(), "lockstep-sim-"));

test("says how many ran, and that every promise held", async () => {
  const { code, text } = await lockstep("sim --kind sts --seed 1 --runs 2");
  expect(text).toMatch(/^2 runs of statefulset \(seeds 1 to 2\): \d+ rollouts in /m);
  expect(text).toContain("every promise held, and everything came to rest");
  expect(code).toBe(0);
});

test("prints a summary for programs", async () => {
  const { code, text } = await lockstep("sim --kind placement --seed 5 --runs 1 -o json");
  expect(JSON.parse(text)).toMatchObject({
    apiVersion: "lockstep.dev/sim/v1",
    kinds: ["placement"],
    seeds: { first: 5, last: 5 },
    runs: 1,
    failures: [],
  });
  expect(code).toBe(0);
});

const manifest = (image: string): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: prod}
spec:
  replicas: 2
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: app, image: "${image}"}]}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: prod}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 80}]}
`;

test("shows the run of one seed with the user's own manifests, saves it, and plays it again", async () => {
  const file = join(folder, "mine.yaml");
  const saved = join(folder, "run.json");
  writeFileSync(file, manifest("registry.example.com/db:v1"));
  const shown = await lockstep(`sim -f ${file} --replay 2 --save ${saved}`);
  expect(shown.text).toContain("statefulset, seed 2");
  expect(shown.text).toMatch(/^db-1 +-+1/m);
  expect(shown.text).toContain("every promise held, and it came to rest");
  const { objects } = JSON.parse(readFileSync(saved, "utf8")) as Script;
  expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ["StatefulSet", "default"],
    ["Service", "default"],
  ]);
  const script = await lockstep(`sim -f ${file} --script ${saved}`);
  expect(script).toEqual(shown);
});

const broken = join(folder, "broken.yaml");
writeFileSync(broken, manifest("").replace("replicas: 2", "replicas: -1"));

const mistakes: Record<string, RegExp> = {
  "sim --kind job": /"job" cannot be simulated[\s\S]*podcliqueset, statefulset/,
  "sim --faults crsh": /"crsh" is no fault[\s\S]*did you mean crash/,
  "sim --faults crash=often": /"crash=often" has no rate[\s\S]*crash=0.05/,
  "sim -f /nowhere.yaml": /"\/nowhere.yaml" does not exist/,
  [`sim -f ${broken}`]: /the simulated cluster refuses an object[\s\S]*spec.replicas/,
  [`sim --script ${broken}`]: /is no script[\s\S]*--save/,
};

test.each(Object.entries(mistakes))(
  "%s says what is wrong and what to do",
  async (line, wanted) => {
    const { code, text } = await lockstep(line);
    expect(text).toMatch(wanted);
    expect(code).toBe(1);
  },
);
