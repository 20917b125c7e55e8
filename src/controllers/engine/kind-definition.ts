/** A kind as everything outside its folder knows it: its names, its API, what it reads and writes, its controller. */
import type { CustomKind } from "../../api/definition/custom-kind.ts";
import type { Resource } from "../../api/resource.ts";
import type { ControllerObserver } from "../../runtime/controller.ts";
import type { ControlledKind, KindOptions } from "./controlled-kind.ts";
import type { CacheDefinitionsOf } from "./shared-caches.ts";
import { SharedCaches } from "./shared-caches.ts";

export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection";

/** What a role has to allow. */
export interface Access {
  readonly resource: Pick<Resource, "group" | "plural">;
  readonly subresource?: "status" | "finalizers";
  readonly verbs: readonly Verb[];
  /** For an administrator who wonders why the role allows it. */
  readonly why?: string;
}

/** For the controller that writes the status. */
export const statusAccess = (resource: Resource): Access => ({
  resource,
  subresource: "status",
  verbs: ["update", "patch"],
});

/** For the owner in a controller reference. */
export const ownerAccess = (resource: Resource): Access => ({
  resource,
  subresource: "finalizers",
  verbs: ["update"],
  why: "blockOwnerDeletion in owner references needs this where OwnerReferencesPermissionEnforcement is on.",
});

/** What people call the kind: `lockstep get` takes any of these words. */
export interface KindWords {
  /** As messages spell it. */
  readonly kind: string;
  readonly singular: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
}

export interface KindContext extends KindOptions {
  readonly caches: SharedCaches;
  /** One of the kind's modes; the first of them where it is left out. */
  readonly mode?: string;
}

export interface KindDefinition {
  /** The word of `--controllers`. */
  readonly name: string;
  readonly words: KindWords;
  /** The controller starts once these are served; none for a kind that every cluster serves. */
  readonly customKinds: readonly CustomKind[];
  /** Followed from the controller's start to its end. */
  readonly watches: readonly Resource[];
  /** Followed from the moment that something needs them. */
  readonly watchesOnDemand: readonly Resource[];
  /** Everything the controller asks of the API server, events aside. */
  readonly access: readonly Access[];
  /** Ways to run it; the first is the default. Empty where there is only one. */
  readonly modes: readonly string[];
  controller(context: KindContext): ControlledKind;
}

/** What the author of a kind writes down; `Caches` are those that its controller reads, by name. */
export interface KindParts<Caches extends object, Mode extends string> {
  readonly name: string;
  readonly resource: Resource;
  /** Those of a custom kind are in its definition. */
  readonly shortNames?: readonly string[];
  readonly customKinds: readonly CustomKind[];
  readonly caches: CacheDefinitionsOf<Caches>;
  /** Names of caches that the controller starts by itself when something needs them. */
  readonly onDemand?: readonly (keyof Caches)[];
  /** Access beyond get, list and watch of what is cached. */
  readonly access: readonly Access[];
  readonly modes?: readonly Mode[];
  controller(options: KindOptions & { caches: Caches; mode: Mode | undefined }): ControlledKind;
}

export function defineKind<Caches extends object, Mode extends string = never>(
  parts: KindParts<Caches, Mode>,
): KindDefinition {
  const { name, caches, onDemand = [], modes = [] } = parts;
  const resourceOf = (cache: keyof Caches): Resource => caches[cache].resource;
  const cacheNames = Object.keys(caches) as (keyof Caches)[];
  const access = cacheNames.map((cache) => ({ resource: resourceOf(cache), verbs: following }));
  return {
    name,
    words: wordsOf(parts),
    customKinds: parts.customKinds,
    watches: cacheNames.filter((cache) => !onDemand.includes(cache)).map(resourceOf),
    watchesOnDemand: onDemand.map(resourceOf),
    access: [...access, ...parts.access],
    modes,
    controller({ caches: shared, mode: wanted, ...options }) {
      const mode = modes.find((known) => known === (wanted ?? modes[0]));
      if (wanted !== mode && wanted !== undefined) {
        throw new RangeError(`the ${name} controller has no mode "${wanted}"`);
      }
      return parts.controller({ ...options, caches: shared.all(caches), mode });
    },
  };
}

const following = ["get", "list", "watch"] as const;

type Named = Pick<KindParts<object, string>, "resource" | "shortNames" | "customKinds">;

function wordsOf({ resource, shortNames, customKinds }: Named): KindWords {
  const { kind, plural } = resource;
  const custom = customKinds.find((each) => each.resource === resource)?.shortNames ?? [];
  return { kind, singular: kind.toLowerCase(), plural, shortNames: shortNames ?? custom };
}

export interface StartOptions extends Omit<KindOptions, "observer"> {
  /** Modes by the name of their kind. */
  readonly modes?: Readonly<Record<string, string>>;
  readonly observe?: (controller: string) => ControllerObserver;
}

/** Starts the controllers of these kinds; what several of them read is followed once. */
export function startKinds(
  kinds: readonly KindDefinition[],
  options: StartOptions,
): Promise<ControlledKind[]> {
  const caches = new SharedCaches(options);
  return Promise.all(kinds.map((kind) => startKind(kind, caches, options)));
}

async function startKind(
  kind: KindDefinition,
  caches: SharedCaches,
  { modes = {}, observe, ...options }: StartOptions,
): Promise<ControlledKind> {
  const observer = observe?.(kind.name);
  const controlled = kind.controller({ ...options, observer, caches, mode: modes[kind.name] });
  const started = controlled.start();
  // The first lists of custom resources come when their definitions are installed, which may be never.
  if (kind.customKinds.length === 0) await started;
  else started.catch((problem: unknown) => options.onProblem?.(problem));
  return controlled;
}
