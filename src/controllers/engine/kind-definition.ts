/** A kind as everything outside its folder knows it: its names, its API, what it reads and writes, its controller. */
import type { CustomKind } from "../../api/definition/custom-kind.ts";
import type { Resource } from "../../api/resource.ts";
import type { ControllerObserver } from "../../runtime/controller.ts";
import type { ControlledKind, KindOptions } from "./controlled-kind.ts";
import type { CacheDefinitionsOf } from "./shared-caches.ts";
import { SharedCaches } from "./shared-caches.ts";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

/** What a role has to allow. */
export interface Access {
  readonly resource: Pick<Resource, "group" | "plural" | "namespaced">;
  readonly subresource?: "status" | "finalizers";
  readonly verbs: readonly Verb[];
  /** For an administrator who wonders why the role allows it. */
  readonly why?: string;
}

/** For the controller that writes the status. */
export const statusAccess = (resource: Resource): Access => ({
  resource,
  subresource: "status",
  verbs: ["patch"],
});

/** For the owner in a controller reference. */
export const ownerAccess = (resource: Resource): Access => ({
  resource,
  subresource: "finalizers",
  verbs: ["update"],
  why: "blockOwnerDeletion in owner references needs this where OwnerReferencesPermissionEnforcement is on.",
});

/** What people call the kind: `lockstep get` takes any of these words. */
interface KindWords {
  /** As messages spell it. */
  readonly kind: string;
  readonly singular: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
}

interface KindContext extends KindOptions {
  readonly caches: SharedCaches;
  /** One of the kind's modes; the first of them where it is left out. */
  readonly mode?: string;
}

export interface KindDefinition {
  /** The word of `--controllers`. */
  readonly name: string;
  readonly words: KindWords;
  readonly resource: Resource;
  /** The controller starts once these are served; none for a kind that every cluster serves. */
  readonly customKinds: readonly CustomKind[];
  /** Followed from the controller's start to its end. */
  readonly watches: readonly Resource[];
  /** Followed from the moment that something needs them. */
  readonly watchesOnDemand: readonly Resource[];
  /** Everything the controller asks of the API server, events aside, in one mode or, without it, in any. */
  access(mode?: string): readonly Access[];
  /** Ways to run it; the first is the default. Empty where there is only one. */
  readonly modes: readonly string[];
  controller(context: KindContext): ControlledKind;
}

/** What the author of a kind writes down; `Caches` are those that its controller reads, by name. */
interface KindParts<Caches extends object, Mode extends string> {
  readonly name: string;
  readonly resource: Resource;
  /** Those of a custom kind are in its definition. */
  readonly shortNames?: readonly string[];
  readonly customKinds: readonly CustomKind[];
  readonly caches: CacheDefinitionsOf<Caches>;
  /** Names of caches that the controller starts by itself when something needs them. */
  readonly onDemand?: readonly (keyof Caches)[];
  /**
   * Access beyond list and watch of what is cached. Reading single objects is added where a write may have to find out
   * why it was refused.
   */
  readonly access: readonly Access[];
  /** What one mode needs beyond that; its names are the modes, the first the default. */
  readonly modes?: Readonly<Record<Mode, readonly Access[]>>;
  controller(options: KindOptions & { caches: Caches; mode: Mode | undefined }): ControlledKind;
}

export function defineKind<Caches extends object, Mode extends string = never>(
  parts: KindParts<Caches, Mode>,
): KindDefinition {
  const { name, caches, onDemand = [], modes: accessByMode } = parts;
  const modes = Object.keys(accessByMode ?? {}) as Mode[];
  const resourceOf = (cache: keyof Caches): Resource => caches[cache].resource;
  const cacheNames = Object.keys(caches) as (keyof Caches)[];
  const following = cacheNames.map((cache): Access => ({
    resource: resourceOf(cache),
    verbs: ["list", "watch"],
  }));
  const own: Access = { resource: parts.resource, verbs: ["get"] };
  return {
    name,
    words: wordsOf(parts),
    resource: parts.resource,
    customKinds: parts.customKinds,
    watches: cacheNames.filter((cache) => !onDemand.includes(cache)).map(resourceOf),
    watchesOnDemand: onDemand.map(resourceOf),
    access: (wanted) => {
      const chosen = modes.filter((mode) => wanted === undefined || mode === wanted);
      const inModes = chosen.flatMap((mode) => accessByMode?.[mode] ?? []);
      return [...following, own, ...[...parts.access, ...inModes].map(withReads)];
    },
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

/** A name that is taken, or a delete that is refused, has to be looked at. */
const withReads = (access: Access): Access => {
  const mayBeRefused = access.verbs.some((verb) => verb === "create" || verb === "delete");
  return mayBeRefused ? { ...access, verbs: ["get", ...access.verbs] } : access;
};

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

interface StartedKinds {
  /** There from the beginning, so that they can be stopped before they have started. */
  readonly kinds: readonly ControlledKind[];
  /** Resolves when they reconcile; those of custom kinds begin by themselves once their definitions are installed. */
  readonly started: Promise<void>;
}

/** Starts the controllers of these kinds and waits until they reconcile. */
export async function startKinds(
  definitions: readonly KindDefinition[],
  options: StartOptions,
): Promise<readonly ControlledKind[]> {
  const { kinds, started } = beginKinds(definitions, options);
  await started;
  return kinds;
}

/** Starts the controllers of these kinds; what several of them read is followed once. */
export function beginKinds(
  kinds: readonly KindDefinition[],
  { modes = {}, observe, ...options }: StartOptions,
): StartedKinds {
  const caches = new SharedCaches(options);
  const controlled = kinds.map((kind) =>
    kind.controller({
      ...options,
      observer: observe?.(kind.name),
      caches,
      mode: modes[kind.name],
    }),
  );
  const starts = controlled.map((each, index) => {
    const start = each.start();
    // The first lists of custom resources come when their definitions are installed, which may be never.
    if (kinds[index]?.customKinds.length === 0) return start;
    start.catch((problem: unknown) => options.onProblem?.(problem));
    return Promise.resolve();
  });
  return { kinds: controlled, started: Promise.all(starts).then(() => undefined) };
}
