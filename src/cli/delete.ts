/** `lockstep delete`: removes objects and waits until they are gone. */
import { Command, Option } from "commander";
import type { KubeObject, ObjectKey } from "../api/object.ts";
import { isNotFound } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import type { DeleteOptions } from "../runtime/client.ts";
import type { Connection, ConnectionFlags } from "./connect.ts";
import { withConnection, withConnectionFlags } from "./connect.ts";
import type { Io } from "./io.ts";
import { readManifests } from "./manifests.ts";
import { kindPrefix, selectObjects } from "./object-arguments.ts";
import type { DiscoveredResource } from "./resources.ts";
import { discover, resourceOfKind } from "./resources.ts";
import { WayBack } from "./way-back.ts";

interface DeleteFlags extends ConnectionFlags {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  readonly selector?: string;
  readonly all?: boolean;
  readonly cascade: "background" | "foreground" | "orphan";
  readonly gracePeriod?: string;
  readonly force?: boolean;
  readonly ignoreNotFound?: boolean;
  readonly wait: boolean;
  readonly dryRun: "none" | "server";
}

interface Target {
  readonly resource: DiscoveredResource;
  readonly key: ObjectKey;
}

const policies = { background: "Background", foreground: "Foreground", orphan: "Orphan" } as const;

export function deleteCommand(io: Io): Command {
  return withConnectionFlags(new Command("delete"))
    .summary("delete objects")
    .description("Delete objects by name, label or manifest, and wait until they are gone.")
    .argument("[what...]", "KIND NAME..., KIND/NAME..., or KIND with -l or --all")
    .option("-f, --filename <path...>", "delete what these manifests name")
    .option("-R, --recursive", "also read the folders inside folders")
    .option("-l, --selector <query>", "delete the objects with these labels")
    .option("--all", "delete all objects of the kind in the namespace")
    .addOption(
      new Option("--cascade <mode>", "what happens to the objects it owns")
        .choices(["background", "foreground", "orphan"])
        .default("background"),
    )
    .option("--grace-period <seconds>", "seconds a pod gets to stop; 0 with --force only")
    .option("--force", "remove at once, without waiting for the node to confirm")
    .option("--ignore-not-found", "missing objects are no error")
    .addOption(
      new Option("--dry-run [mode]", "the server checks everything and deletes nothing")
        .choices(["none", "server"])
        .preset("server")
        .default("none"),
    )
    .option("--no-wait", "return without waiting until the objects are gone")
    .action(async (words: string[], flags: DeleteFlags) => {
      await withConnection(flags, io, (connection) => deleteAll(connection, words, flags, io));
    });
}

async function deleteAll(
  connection: Connection,
  words: readonly string[],
  flags: DeleteFlags,
  io: Io,
): Promise<void> {
  const options = deleteOptions(flags);
  const targets = await findTargets(connection, words, flags, io);
  if (targets.length === 0) return io.warn("No resources found");
  const deleted: { target: Target; uid?: string }[] = [];
  const back = new WayBack(io);
  try {
    for (const target of targets) {
      const uid = await deleteOne(connection, target, { options, flags, back });
      if (uid === undefined) continue;
      const how = flags.force === true ? "force deleted" : "deleted";
      const suffix = options.dryRun === true ? " (server dry run)" : "";
      io.print(`${kindPrefix(target).slice(0, -1)} "${target.key.name}" ${how}${suffix}`);
      deleted.push({ target, uid });
    }
  } finally {
    // What was deleted before an error can be taken back too.
    for (const line of back.lines()) io.print(line);
  }
  if (!flags.wait || options.dryRun === true) return;
  for (const { target, uid } of deleted) await untilGone(connection, target, uid, io.stopping);
}

function deleteOptions(flags: DeleteFlags): DeleteOptions {
  const graceText = flags.gracePeriod ?? (flags.force === true ? "0" : undefined);
  const gracePeriodSeconds = graceText === undefined ? undefined : Number(graceText);
  if (gracePeriodSeconds !== undefined && !Number.isInteger(gracePeriodSeconds)) {
    throw new UserError({
      problem: `--grace-period=${graceText} is not a whole number`,
      fix: "give seconds, for example --grace-period=30",
    });
  }
  if (gracePeriodSeconds === 0 && flags.force !== true) {
    throw new UserError({
      problem: "--grace-period=0 removes objects without waiting for their node",
      fix: "add --force if that is meant",
    });
  }
  const propagationPolicy = policies[flags.cascade];
  return { propagationPolicy, gracePeriodSeconds, dryRun: flags.dryRun === "server" };
}

async function findTargets(
  connection: Connection,
  words: readonly string[],
  flags: DeleteFlags,
  io: Io,
): Promise<Target[]> {
  const known = await discover(connection.transport);
  if (flags.filename !== undefined) {
    return readManifests(flags.filename, flags.recursive === true, io).flatMap(({ object }) => {
      const resource = resourceOfKind(known, object.apiVersion ?? "", object.kind ?? "");
      return resource === undefined ? [] : [targetOf(connection, resource, object)];
    });
  }
  const targets: Target[] = [];
  for (const { resource, name } of selectObjects(known, words)) {
    if (name !== undefined) {
      targets.push(targetOf(connection, resource, { metadata: { name } }));
      continue;
    }
    if (flags.selector === undefined && flags.all !== true) {
      throw new UserError({
        problem: "resource(s) were provided, but no name was specified",
        fix: "name the objects, or choose them with -l or --all",
      });
    }
    const list = await connection.client.list(resource, {
      namespace: connection.namespace,
      labelSelector: flags.selector,
    });
    targets.push(...list.items.map((object) => targetOf(connection, resource, object)));
  }
  return targets;
}

function targetOf(
  connection: Connection,
  resource: DiscoveredResource,
  { metadata }: KubeObject,
): Target {
  const namespace = metadata.namespace ?? connection.namespace;
  return { resource, key: { namespace, name: metadata.name ?? "" } };
}

interface Deletion {
  readonly options: DeleteOptions;
  readonly flags: DeleteFlags;
  readonly back: WayBack;
}

/** The uid of the deleted object; undefined where there was none and --ignore-not-found allows that. */
async function deleteOne(
  { client }: Connection,
  { resource, key }: Target,
  { options, flags, back }: Deletion,
): Promise<string | undefined> {
  try {
    const object = await client.get(resource, key);
    if (options.dryRun !== true) back.keep(resource, object);
    await client.delete(resource, key, options);
    return object.metadata.uid;
  } catch (error) {
    if (isNotFound(error) && flags.ignoreNotFound === true) return undefined;
    throw error;
  }
}

/** An object of the same name with another uid is a successor: the deleted one is gone then too. */
async function untilGone(
  { client }: Connection,
  { resource, key }: Target,
  uid: string | undefined,
  stopping: AbortSignal,
): Promise<void> {
  const selection = { namespace: key.namespace, fieldSelector: `metadata.name=${key.name}` };
  const list = await client.list(resource, selection);
  if (!list.items.some((item) => item.metadata.uid === uid)) return;
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, stopping]);
  const { resourceVersion } = list.metadata;
  await client.watch(resource, { ...selection, resourceVersion, signal }, (event) => {
    const isOurs = event.type === "DELETED" && event.object.metadata.uid === uid;
    if (isOurs || event.type === "ERROR") gone.abort();
  });
}
