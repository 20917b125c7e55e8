/** `lockstep apply`: makes the cluster look like the manifests. */
import { Command, Option } from "commander";
import type { KubeObject } from "../api/object.ts";
import { ApiError, isAlreadyExists, isNotFound } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import { canonicalJson } from "../api/canonical-json.ts";
import type { WriteOptions } from "../runtime/client.ts";
import type { Connection, ConnectionFlags } from "./connect.ts";
import { withConnection, withConnectionFlags } from "./connect.ts";
import type { Io } from "./io.ts";
import type { Manifest } from "./manifests.ts";
import { readManifests } from "./manifests.ts";
import { kindPrefix } from "./object-arguments.ts";
import type { DiscoveredResource } from "./resources.ts";
import { discover, resourceOfKind } from "./resources.ts";
import type { Json } from "./three-way-merge.ts";
import { threeWayMerge } from "./three-way-merge.ts";
import { WayBack } from "./way-back.ts";

interface ApplyFlags extends ConnectionFlags {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
  readonly dryRun: "none" | "server";
  readonly validate: "strict" | "warn" | "ignore";
}

/** The same annotation as kubectl's, so that both may be used on one object. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

export function applyCommand(io: Io): Command {
  return withConnectionFlags(new Command("apply"))
    .summary("make the cluster look like the manifests")
    .description("Create what is missing and change what differs, from YAML or JSON manifests.")
    .requiredOption("-f, --filename <path...>", "file, folder, or - for standard input")
    .option("-R, --recursive", "also read the folders inside folders")
    .addOption(
      new Option("--dry-run [mode]", "the server checks everything and changes nothing")
        .choices(["none", "server"])
        .preset("server")
        .default("none"),
    )
    .addOption(
      new Option("--validate <mode>", "what to do about unknown fields")
        .choices(["strict", "warn", "ignore"])
        .default("strict"),
    )
    .action(async (flags: ApplyFlags) => {
      const manifests = readManifests(flags.filename, flags.recursive === true, io);
      await withConnection(flags, io, (connection) => applyAll(connection, manifests, flags, io));
    });
}

async function applyAll(
  connection: Connection,
  manifests: readonly Manifest[],
  flags: ApplyFlags,
  io: Io,
): Promise<void> {
  const back = new WayBack(io);
  let known = await discover(connection.transport);
  try {
    for (const manifest of manifests) {
      const { apiVersion = "", kind = "" } = manifest.object;
      let resource = resourceOfKind(known, apiVersion, kind);
      if (resource === undefined) {
        // A CustomResourceDefinition applied a moment ago may have added the kind.
        known = await discover(connection.transport);
        resource = resourceOfKind(known, apiVersion, kind);
      }
      if (resource === undefined) throw unknownKind(manifest);
      const name = `${kindPrefix({ resource })}${manifest.object.metadata.name}`;
      const order = { resource, name, manifest, flags, back };
      const verb = await applyOne(connection, order).catch((error: unknown) => {
        throw withOrigin(error, manifest.origin);
      });
      io.print(`${name} ${verb}${flags.dryRun === "server" ? " (server dry run)" : ""}`);
    }
  } finally {
    // What was done before an error can be taken back too.
    for (const line of back.lines()) io.print(line);
  }
}

/** Names the manifest that was refused and keeps the words of the server. */
function withOrigin(error: unknown, origin: string): unknown {
  if (!(error instanceof ApiError) || error.reason === "Invalid") return error;
  const message = `error when applying "${origin}": ${error.message}`;
  return new ApiError({ ...error.status, message });
}

function unknownKind({ object, origin }: Manifest): UserError {
  return new UserError({
    problem: `${origin}: no matches for kind "${object.kind}" in version "${object.apiVersion}"`,
    fix: "ensure CRDs are installed first",
  });
}

interface Order {
  readonly resource: DiscoveredResource;
  /** As it is printed. */
  readonly name: string;
  readonly manifest: Manifest;
  readonly flags: ApplyFlags;
  readonly back: WayBack;
}

async function applyOne(
  connection: Connection,
  order: Order,
): Promise<"created" | "configured" | "unchanged"> {
  const { client, namespace } = connection;
  const { resource, flags, back } = order;
  const { object } = order.manifest;
  const name = requiredName(order.manifest);
  const isDryRun = flags.dryRun === "server";
  const wanted = annotated(placed(object, resource, namespace));
  const key = { namespace: wanted.metadata.namespace, name };
  const options: WriteOptions = {
    dryRun: isDryRun,
    fieldManager: "lockstep-apply",
    fieldValidation: ({ strict: "Strict", warn: "Warn", ignore: "Ignore" } as const)[
      flags.validate
    ],
  };
  const live = await client.get(resource, key).catch(undefinedIfMissing);
  if (live === undefined) {
    try {
      await client.create(resource, wanted, options);
    } catch (error) {
      // Another client created it in the meantime: continue as if the object had been there.
      if (!isAlreadyExists(error)) throw error;
      return applyOne(connection, order);
    }
    if (!isDryRun) back.created(order.name, wanted);
    return "created";
  }
  const patch = threeWayMerge(lastAppliedOf(live), live as Json as never, wanted as Json as never);
  if (Object.keys(patch).length === 0) return "unchanged";
  if (!isDryRun) back.keep(resource, live);
  await client.patch(resource, key, { type: "merge", body: patch }, options);
  return "configured";
}

function requiredName({ object, origin }: Manifest): string {
  const { name = "" } = object.metadata;
  if (name !== "") return name;
  throw new UserError({
    problem: `${origin}: metadata.name: Required value`,
    fix: "apply needs to know which object is meant: set metadata.name",
  });
}

function undefinedIfMissing(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}

function placed(object: KubeObject, resource: DiscoveredResource, namespace: string): KubeObject {
  if (!resource.namespaced) return object;
  return { ...object, metadata: { namespace, ...object.metadata } };
}

function annotated(object: KubeObject): KubeObject {
  const { [lastApplied]: _dropped, ...annotations } = object.metadata.annotations ?? {};
  const bare = { ...object, metadata: { ...object.metadata, annotations } };
  return {
    ...bare,
    metadata: {
      ...bare.metadata,
      annotations: { ...annotations, [lastApplied]: `${canonicalJson(bare)}\n` },
    },
  };
}

function lastAppliedOf(live: KubeObject): { [key: string]: Json } {
  const text = live.metadata.annotations?.[lastApplied];
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as { [key: string]: Json };
  } catch {
    return {};
  }
}
