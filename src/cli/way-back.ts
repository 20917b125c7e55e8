/** How to take a command back: what it created is deleted, what it changed or deleted is applied again from a copy. */
import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { apiVersionOf } from "../api/resource.ts";
import { shellWord } from "../api/shell-word.ts";
import { timeText } from "../api/time-text.ts";
import { writeYaml } from "../api/write-yaml.ts";
import { inNamespace } from "../rollouts/commands.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./io.ts";

/** Older ones are removed: this is a way back, not an archive. */
const mostKept = 100;
/** Of more than these nobody reads the names in one line. */
const mostNamed = 10;

type WayBackIo = Pick<Io, "environment" | "clock" | "invocation" | "clusterFlags">;

export class WayBack {
  readonly #io: WayBackIo;
  /** `statefulset.apps/web` by namespace. */
  readonly #created = new Map<string, string[]>();
  readonly #manifests: unknown[] = [];
  readonly #notes = new Set<string>();
  #file: string | undefined;

  constructor(io: WayBackIo) {
    this.#io = io;
  }

  created(name: string, { apiVersion, kind, metadata }: KubeObject): void {
    const { namespace = "" } = metadata;
    const names = this.#created.get(namespace) ?? [];
    names.push(name);
    this.#created.set(namespace, names);
    const place = namespace === "" ? {} : { namespace };
    this.#manifests.push({ apiVersion, kind, metadata: { name: metadata.name, ...place } });
  }

  /** To be called before the object is written. What cannot be kept is said, and is no reason to stop. */
  keep(resource: Resource, object: KubeObject): void {
    const name = `${resource.kind.toLowerCase()}/${object.metadata.name}`;
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner !== undefined) {
      this.#notes.add(`${name} is made again by ${owner.kind.toLowerCase()}/${owner.name}`);
    } else if (resource.group === "" && resource.kind === "Secret") {
      this.#notes.add(`no copy of ${name} is kept: secrets are not written to disk`);
    } else {
      this.#keepCopy(resource, object);
    }
  }

  lines(): readonly string[] {
    const commands = [
      ...this.#deletes(),
      ...(this.#file === undefined ? [] : [`lockstep apply -f ${shellWord(this.#file)}`]),
    ];
    const typed = commands.map((command) => asTyped(command, this.#io)).join(" && ");
    const back = commands.length === 0 ? [] : [`  to take it back: ${typed}`];
    return [...back, ...[...this.#notes].map((note) => `  note: ${note}`)];
  }

  #deletes(): readonly string[] {
    const file = this.#manifests.length > mostNamed ? this.#listCreated() : undefined;
    if (file !== undefined) return [`lockstep delete -f ${shellWord(file)}`];
    return [...this.#created].map(([namespace, names]) => {
      const place = namespace === "" ? "" : inNamespace({ namespace });
      return `lockstep delete ${names.map(shellWord).join(" ")}${place}`;
    });
  }

  /** Undefined where nothing can be written; the names are printed then. */
  #listCreated(): string | undefined {
    const texts = this.#manifests.map((manifest) => `---\n${writeYaml(manifest)}`);
    try {
      return this.#write(`created-${texts.length}-objects`, texts.join(""));
    } catch {
      return undefined;
    }
  }

  #keepCopy(resource: Resource, object: KubeObject): void {
    try {
      const text = `---\n${writeYaml(restorable(resource, object), { lineWidth: 0 })}`;
      if (this.#file === undefined) this.#file = this.#begin(resource, object, text);
      else appendFileSync(this.#file, text);
    } catch (error) {
      this.#notes.add(`no copy is kept: ${(error as Error).message}`);
    }
  }

  #begin({ kind }: Resource, { metadata }: KubeObject, text: string): string {
    return this.#write(`${kind.toLowerCase()}-${metadata.name}`, text);
  }

  #write(name: string, text: string): string {
    const folder = folderOf(this.#io.environment);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const time = timeText(this.#io.clock.now()).replaceAll(/[-:]/g, "");
    const path = join(folder, `${time}-${name}`);
    const file = createExclusively(path, text);
    for (const old of readdirSync(folder).toSorted().slice(0, -mostKept)) rmSync(join(folder, old));
    return file;
  }
}

function folderOf({ XDG_STATE_HOME: own = "", HOME: home = "" }: Io["environment"]): string {
  if (own !== "") return join(own, "lockstep", "before");
  if (home === "") throw new Error("neither XDG_STATE_HOME nor HOME is set");
  return join(home, ".local", "state", "lockstep", "before");
}

/** Two commands in one second have two files. */
function createExclusively(path: string, text: string): string {
  for (let attempt = 1; ; attempt++) {
    const file = attempt === 1 ? `${path}.yaml` : `${path}-${attempt}.yaml`;
    try {
      writeFileSync(file, text, { flag: "wx", mode: 0o600 });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** What only the server writes, and no manifest has. */
const ofServer = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "managedFields",
  "selfLink",
]);

function restorable(resource: Resource, object: KubeObject): unknown {
  const { apiVersion: _version, kind: _kind, status: _status, metadata: all, ...rest } = object;
  const metadata = Object.fromEntries(Object.entries(all).filter(([key]) => !ofServer.has(key)));
  const manifest = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata, ...rest };
  if (resource.kind !== "Pod") return manifest;
  // Its node may be full or gone by then.
  const { nodeName: _node, ...spec } = rest["spec"] as Record<string, unknown>;
  return { ...manifest, spec };
}
