/** Finds out what to plan, plays it, and prints the plan. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { KubeObject } from "../api/object.ts";
import { UserError } from "../api/user-error.ts";
import type { KindDefinition } from "../controllers/engine/kind-definition.ts";
import { kinds } from "../controllers/kinds.ts";
import { durationsOf } from "../preview/durations.ts";
import { edited, imagesIn } from "../preview/edit.ts";
import { kindsAround, loadCluster } from "../preview/load.ts";
import type { Loaded } from "../preview/load.ts";
import type { Workload } from "../preview/play.ts";
import type { Preview } from "../preview/preview.ts";
import { preview } from "../preview/preview.ts";
import { previewedKinds } from "../preview/previewed-kinds.ts";
import { defaultCatalogue } from "../sim/images/catalogue.ts";
import type { Connection } from "./connect.ts";
import { connect } from "./connect.ts";
import { definitionsOf, installDefinitions } from "./definitions.ts";
import type { Io } from "./io.ts";
import { readManifests } from "./manifests.ts";
import { coloursFor } from "./paint.ts";
import type { PlanFlags } from "./plan.ts";
import { drawPlan } from "./plan-drawing.ts";
import { planPage } from "./plan-page.ts";
import { secondsText } from "./plan-texts.ts";

/** The exit code. */
export async function runPlan(word: string | undefined, flags: PlanFlags, io: Io): Promise<number> {
  const subject = subjectOf(word, flags, io);
  const connection = flags.from === undefined ? connect(flags, io) : undefined;
  try {
    const { plan, details } = await planned(subject, { flags, io, connection });
    if (flags.html !== undefined) writePage(flags.html, planPage(plan, details), io);
    if (flags.output === "json") io.print(JSON.stringify(plan, null, 2));
    else for (const line of drawPlan(plan, details, paintFor(io))) io.print(line);
    return plan.verdict === "stalls" ? 2 : 0;
  } finally {
    connection?.close();
  }
}

function writePage(file: string, page: string, io: Io): void {
  const path = resolve(io.workingDirectory, file);
  try {
    writeFileSync(path, page);
  } catch (error) {
    throw new UserError({
      problem: `--html ${file}: it cannot be written: ${(error as Error).message}`,
      fix: "name a file in a folder that exists and that you may write to",
    });
  }
  io.warn(`the page is in ${path}`);
}

const paintFor = ({ isTerminal, environment }: Io) =>
  coloursFor(isTerminal && (environment["NO_COLOR"] ?? "") === "");

/** What is planned: a workload that is there, one of a file, or both. */
interface Subject {
  readonly kind: KindDefinition;
  readonly name: string;
  /** Where the file says one. */
  readonly namespace: string | undefined;
  readonly wanted: KubeObject | undefined;
}

function subjectOf(word: string | undefined, flags: PlanFlags, io: Io): Subject {
  const file = flags.filename === undefined ? undefined : workloadIn(flags.filename, io);
  if (word !== undefined) {
    return { ...parsed(word), namespace: file?.object.metadata.namespace, wanted: file?.object };
  }
  const named = file ?? (flags.from === undefined ? undefined : workloadIn(flags.from, io));
  if (named !== undefined) {
    const { kind, object } = named;
    const { name = "", namespace } = object.metadata;
    return { kind, name, namespace, wanted: file?.object };
  }
  throw new UserError({
    problem: "there is nothing to plan",
    fix: "name a workload (pcs/chat --image server=server:v2) or a file (-f new.yaml)",
  });
}

interface Surroundings {
  readonly flags: PlanFlags;
  readonly io: Io;
  readonly connection: Connection | undefined;
}

async function planned(subject: Subject, surroundings: Surroundings): Promise<Preview> {
  const { flags, io } = surroundings;
  const { wanted } = subject;
  const workload = workloadOf(subject, surroundings);
  const around = kindsAround(kinds, workload);
  const loaded = await loadedFrom(surroundings, around, workload);
  for (const note of loaded.notes) io.warn(`note: ${note}`);
  const isLive = flags.from === undefined;
  if (isLive && wanted === undefined) requireLive(loaded, workload);
  const pods = loaded.copied.map(({ object }) => object).filter(isPod);
  const file = flags.from === undefined ? undefined : workloadIn(flags.from, io).object;
  const before = file && asNew(file, workload);
  const next = changed(before ?? liveOf(loaded, workload), wanted, { flags, workload });
  const images = imagesIn(next);
  const durations = durationsOf(defaultCatalogue(), pods, { ...flags, images });
  const { onProgress, wipe } = progressLine(io);
  return preview({
    ...loaded,
    kinds: around,
    installDefinitions: (client, wanted) => installDefinitions(client, definitionsOf(wanted)),
    startMs: io.clock.now(),
    nodes: flags.nodes,
    catalogue: durations.catalogue,
    workload,
    before,
    change: (current) => changed(current, wanted, { flags, workload }),
    durations: durations.words,
    onProgress,
  }).finally(wipe);
}

const isPod = (object: KubeObject): boolean => object["kind"] === "Pod";

function workloadOf(
  { kind, name, namespace: written }: Subject,
  { flags, connection }: Surroundings,
): Workload {
  const namespace = flags.namespace ?? written ?? connection?.namespace ?? "default";
  return { resource: kind.resource, key: { namespace, name } };
}

async function loadedFrom(
  { connection }: Surroundings,
  around: readonly KindDefinition[],
  workload: Workload,
): Promise<Loaded> {
  if (connection === undefined) return { copied: [], disruptionBudgets: [], notes: [] };
  return loadCluster(connection.client, around, workload);
}

/** As it is in the cluster, if it is there. */
const liveOf = ({ copied }: Loaded, { resource, key }: Workload): KubeObject | undefined =>
  copied.find((each) => each.resource === resource && each.object.metadata.name === key.name)
    ?.object;

function requireLive(loaded: Loaded, workload: Workload): void {
  if (liveOf(loaded, workload) !== undefined) return;
  const { resource, key } = workload;
  const others = loaded.copied
    .filter(({ resource: copied }) => copied === resource)
    .map(({ object }) => object.metadata.name ?? "");
  throw new UserError({
    problem: `there is no ${resource.kind} ${key.name} in namespace ${key.namespace}`,
    fix:
      others.length > 0
        ? `there is ${others.slice(0, 5).join(", ")}; choose another namespace with -n`
        : "choose another namespace with -n, or plan a new one with -f",
  });
}

/** To be created: a file may hold what a server once added, as `get -o yaml` prints it. */
function asNew({ status: _status, ...object }: KubeObject, { key }: Workload): KubeObject {
  const { labels, annotations, finalizers } = object.metadata;
  return { ...object, metadata: { ...key, labels, annotations, finalizers } };
}

/** What a file says replaces the spec; labels and annotations are added to those that are there. */
function changed(
  current: KubeObject | undefined,
  wanted: KubeObject | undefined,
  { flags, workload }: { readonly flags: PlanFlags; readonly workload: Workload },
): KubeObject {
  const edits = { images: flags.image, replicas: flags.replicas, fields: flags.set };
  if (current === undefined) return edited(asNew(wanted ?? { metadata: {} }, workload), edits);
  if (wanted === undefined) return edited(current, edits);
  const { labels, annotations } = wanted.metadata;
  const metadata = {
    ...current.metadata,
    labels: { ...current.metadata.labels, ...labels },
    annotations: { ...current.metadata.annotations, ...annotations },
  };
  return edited({ ...current, ...wanted, metadata }, edits);
}

/** One workload of a kind that can be planned. */
function workloadIn(
  file: string,
  io: Io,
): { readonly kind: KindDefinition; readonly object: KubeObject } {
  const manifests = readManifests([file], false, io);
  const found = manifests.flatMap(({ object }) => {
    const kind = plannable.find(({ words }) => words.kind === object["kind"]);
    return kind === undefined ? [] : [{ kind, object }];
  });
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const names = plannable.map(({ words }) => words.kind).join(", ");
  throw new UserError({
    problem: `${file} holds ${found.length === 0 ? "no workload" : "several workloads"} that can be planned`,
    fix: `put one of ${names} into it`,
  });
}

/** Kinds that people edit; the others are made by these. */
const plannable = kinds.filter(({ words }) => previewedKinds[words.kind] !== undefined);

function parsed(word: string): { readonly kind: KindDefinition; readonly name: string } {
  const [kindWord = "", name = "", ...rest] = word.split("/");
  const kind = plannable.find(({ words }) =>
    [words.singular, words.plural, words.kind, ...words.shortNames]
      .map((each) => each.toLowerCase())
      .includes(kindWord.toLowerCase()),
  );
  if (kind === undefined || name === "" || rest.length > 0) {
    const known = plannable.map(({ words }) => words.shortNames[0] ?? words.singular);
    throw new UserError({
      problem: `"${word}" names no workload that can be planned`,
      fix: `write KIND/NAME, with one of ${known.join(", ")} as KIND`,
    });
  }
  return { kind, name };
}

const progressEveryMs = 500;

interface Progress {
  readonly onProgress?: (seconds: number) => void;
  /** What is printed next has the line to itself. */
  readonly wipe: () => void;
}

/** A line that moves, on a terminal only. */
function progressLine(io: Io): Progress {
  if (!io.isTerminal) return { wipe: () => undefined };
  let shownMs = io.clock.monotonic();
  let isShown = false;
  return {
    onProgress: (seconds) => {
      const nowMs = io.clock.monotonic();
      if (nowMs - shownMs < progressEveryMs) return;
      shownMs = nowMs;
      isShown = true;
      io.write?.(`\rplaying: ${secondsText(Math.round(seconds))} of the rollout\u001b[K`);
    },
    wipe: () => {
      if (isShown) io.write?.("\r\u001b[K");
      isShown = false;
    },
  };
}
