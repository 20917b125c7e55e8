/**
 * Draws docs/pictures/watch.svg: runs the embedded cluster and a real rollout in it, watches that with `lockstep watch`
 * in virtual time, and puts the screens on top of each other, each for as long as it was shown.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";
import type { PodCliqueSet } from "../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../src/api/grove/podcliqueset.ts";
import { createApiServer } from "../src/apiserver/api-server.ts";
import { builtinResources } from "../src/apiserver/catalogue/builtin-resources.ts";
import { seededIds } from "../src/apiserver/ids.ts";
import { installDefinitions } from "../src/cli/definitions.ts";
import type { Io } from "../src/cli/io.ts";
import { run } from "../src/cli/run.ts";
import { startKinds } from "../src/controllers/engine/kind-definition.ts";
import { kinds } from "../src/controllers/kinds.ts";
import { VirtualClock } from "../src/runtime/virtual-clock.ts";
import { startCluster } from "../src/sim/cluster.ts";
import { animated } from "./terminal-picture.ts";

const columns = 112;
const rows = 34;
const sample = "deploy/samples/podcliqueset/disaggregated.yaml";
const outfile = process.argv[2] ?? "docs/pictures/watch.svg";

const clock = new VirtualClock();
const server = createApiServer({ clock, ids: seededIds(7), resources: builtinResources() });
const { client, transport } = server;
await installDefinitions(client);
await startCluster({ client, clock, gangs: true });
const modes = { statefulset: "full" };
let hasStarted = false;
void startKinds(kinds, { client, clock, modes, onProblem: report }).then(() => (hasStarted = true));
await clock.runUntilTrue(() => hasStarted, 60_000);

const [document] = parseAllDocuments(readFileSync(sample, "utf8"));
const set = document?.toJS() as PodCliqueSet;
const name = set.metadata.name ?? "";
const key = { namespace: "default", name };
await client.create(podCliqueSetResource, {
  ...set,
  metadata: { ...set.metadata, namespace: "default" },
});
await clock.runFor(60_000);

const screens: { atMs: number; text: string }[] = [];
const stop = new AbortController();
const startMs = clock.now();
const io: Io = {
  print: () => undefined,
  warn: (line) => report(line),
  isTerminal: true,
  size: () => ({ columns, rows }),
  write: (text) => void screens.push({ atMs: clock.now() - startMs, text }),
  environment: { FORCE_COLOR: "1" },
  workingDirectory: "/",
  readStandardInput: () => "",
  stopping: stop.signal,
  clock,
  cluster: transport,
};
const quiet: Io = { ...io, write: () => undefined };
const watching = run(["watch", `podcliqueset/${name}`], io);
await pass(3);
const images = set.spec.template.cliques.map(({ name: clique, spec }) => {
  const [container] = spec.podSpec.containers;
  return `${clique}/${container?.name}=${container?.image?.replace(/:v1$/, ":v2")}`;
});
await run(["set", "image", `podcliqueset/${name}`, ...images], quiet);
for (let seconds = 0; seconds < 300 && !(await isRolledOut()); seconds++) await pass(1);
await pass(4);
stop.abort();
await watching;

mkdirSync("docs/pictures", { recursive: true });
writeFileSync(outfile, animated(screens, { columns, rows }));
process.stdout.write(
  `${outfile}: ${screens.length} screens, ${(clock.now() - startMs) / 1000} s\n`,
);
process.exit(0);

/** Modules of commands are loaded in real time, so that takes a turn too. */
async function pass(seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 5; step++) {
    await clock.runFor(200);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function isRolledOut(): Promise<boolean> {
  const { status, metadata } = await client.get<PodCliqueSet>(podCliqueSetResource, key);
  const moving = status?.conditions?.find(({ type }) => type === "Progressing");
  return status?.observedGeneration === metadata.generation && moving?.reason === "RolledOut";
}

function report(problem: unknown): void {
  process.stderr.write(`${problem instanceof Error ? problem.stack : String(problem)}\n`);
}
