/** `lockstep get`: lists objects, as kubectl does. */
import { Command, Option } from "commander";
import type { KubeList, KubeObject } from "../api/object.ts";
import { ApiError } from "../api/status.ts";
import { writeYaml } from "../api/write-yaml.ts";
import type { Connection } from "./connect.ts";
import { withConnection, withConnectionFlags } from "./connect.ts";
import type { GetFlags } from "./get-tables.ts";
import { namespaceOf, TablePrinter } from "./get-tables.ts";
import type { Io } from "./io.ts";
import type { Selection } from "./object-arguments.ts";
import { kindPrefix, selectObjects } from "./object-arguments.ts";
import { discover } from "./resources.ts";

export function getCommand(io: Io): Command {
  return withConnectionFlags(new Command("get"))
    .summary("list objects")
    .description(
      "List objects of the cluster: `get pods`, `get pod/web-0`, `get sts,pods -o wide`.",
    )
    .argument("<what...>", "KIND, KIND NAME..., KIND/NAME..., several kinds with commas, or `all`")
    .option("-A, --all-namespaces", "look in all namespaces")
    .addOption(
      new Option("-o, --output <format>", "how to print").choices(["wide", "json", "yaml", "name"]),
    )
    .option("-l, --selector <query>", "label selector, for example app=web,tier!=cache")
    .option("--field-selector <query>", "field selector, for example status.phase=Running")
    .option("-w, --watch", "go on printing changes until Ctrl-C")
    .option("--no-headers", "leave the header line out")
    .option("--show-labels", "add a column with the labels")
    .option("--ignore-not-found", "missing objects are no error")
    .action(async (words: string[], flags: GetFlags) => {
      await withConnection(flags, io, (connection) => get(connection, words, flags, io));
    });
}

async function get(
  connection: Connection,
  words: readonly string[],
  flags: GetFlags,
  io: Io,
): Promise<void> {
  const selections = selectObjects(await discover(connection.transport), words);
  if (flags.output !== undefined && flags.output !== "wide") {
    if (flags.watch !== true) return printObjects(connection, selections, flags, io);
    const print = objectPrinter(flags.output, io);
    await Promise.all(
      selections.map((each) => watchObjects(connection, each, { flags, io, print })),
    );
    return;
  }
  const tables = new TablePrinter(connection, selections, flags, io);
  await tables.print();
  if (flags.watch === true) await tables.watch();
}

async function printObjects(
  connection: Connection,
  selections: readonly Selection[],
  flags: GetFlags,
  io: Io,
): Promise<void> {
  const objects: { selection: Selection; object: KubeObject }[] = [];
  for (const selection of selections) {
    for (const object of await fetchObjects(connection, selection, flags)) {
      objects.push({ selection, object });
    }
  }
  if (flags.output === "name") {
    for (const { selection, object } of objects) {
      io.print(`${kindPrefix(selection)}${object.metadata.name}`);
    }
    return;
  }
  const items = objects.map(({ object }) => object);
  const isSingle = selections.length === 1 && selections[0]?.name !== undefined;
  const list = { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" }, items };
  const value = isSingle ? items[0] : list;
  if (value === undefined) return;
  io.print(flags.output === "json" ? jsonText(value) : yamlText(value));
}

type PrintObject = (selection: Selection, object: KubeObject) => void;

/** Each object by itself. */
function objectPrinter(output: "json" | "yaml" | "name", io: Io): PrintObject {
  let printed = 0;
  return (selection, object) => {
    if (output === "name") return io.print(`${kindPrefix(selection)}${object.metadata.name}`);
    if (output === "json") return io.print(jsonText(object));
    if (printed++ > 0) io.print("---");
    return io.print(yamlText(object));
  };
}

interface Watching {
  readonly flags: GetFlags;
  readonly io: Io;
  readonly print: PrintObject;
}

/** What there is, and then what changes, until Ctrl-C. */
async function watchObjects(
  connection: Connection,
  selection: Selection,
  { flags, io, print }: Watching,
): Promise<void> {
  const { client } = connection;
  const { resource, name } = selection;
  const namespace = namespaceOf(connection, flags);
  const options = {
    namespace,
    labelSelector: flags.selector,
    fieldSelector: name === undefined ? flags.fieldSelector : `metadata.name=${name}`,
  };
  const { apiVersion, items, metadata } = await client.list(resource, options);
  // Asked by name, the server says in its own words what is not there.
  const isMissing = name !== undefined && items.length === 0 && flags.ignoreNotFound !== true;
  if (isMissing) await client.get(resource, { namespace, name });
  for (const item of items) print(selection, { apiVersion, kind: resource.kind, ...item });
  const { resourceVersion } = metadata;
  await client.watch(resource, { ...options, resourceVersion, signal: io.stopping }, (event) => {
    if (event.type === "ERROR") throw new ApiError(event.object);
    if (event.type !== "BOOKMARK") print(selection, event.object);
  });
}

async function fetchObjects(
  connection: Connection,
  { resource, name }: Selection,
  flags: GetFlags,
): Promise<readonly KubeObject[]> {
  const namespace = namespaceOf(connection, flags);
  if (name !== undefined) {
    try {
      return [await connection.client.get(resource, { namespace, name })];
    } catch (error) {
      if (flags.ignoreNotFound === true && error instanceof ApiError && error.code === 404)
        return [];
      throw error;
    }
  }
  const list: KubeList = await connection.client.list(resource, {
    namespace,
    labelSelector: flags.selector,
    fieldSelector: flags.fieldSelector,
  });
  // Items of built-in kinds come without their type; printed alone they need it.
  const apiVersion = list.apiVersion;
  return list.items.map((item) => ({ apiVersion, kind: resource.kind, ...item }));
}

/** As kubectl prints objects: keys in order, lists not indented. */
function jsonText(value: unknown): string {
  return JSON.stringify(withSortedKeys(value), null, 4);
}

/** Under YAML 1.1, as Kubernetes reads it, `yes`, `0777` and times need quotes. */
function yamlText(value: unknown): string {
  const style = { version: "1.1", indentSeq: false, lineWidth: 0 } as const;
  return writeYaml(withSortedKeys(value), style).trimEnd();
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, withSortedKeys(item)]));
}
