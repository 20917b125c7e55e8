/** What `lockstep sim` is asked to simulate: kinds, manifests and faults, read from its flags. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { apiVersionOf } from "../api/resource.ts";
import { UserError } from "../api/user-error.ts";
import { createApiServer } from "../apiserver/api-server.ts";
import { builtinResources } from "../apiserver/catalogue/builtin-resources.ts";
import { kinds } from "../controllers/kinds.ts";
import { nearest } from "../rollouts/nearest.ts";
import { simulatedKinds } from "../simulation/kinds/index.ts";
import type { FaultName, Rates } from "../simulation/script.ts";
import { defaultRates, faultNames } from "../simulation/script.ts";
import type { SimulatedKind } from "../simulation/simulated-kind.ts";
import type { Subject } from "../simulation/sweep.ts";
import { installDefinitions } from "./definitions.ts";
import type { Io } from "./io.ts";
import { readManifests } from "./manifests.ts";
import { discover } from "./resources.ts";
import type { SimFlags } from "./sim.ts";

export interface Subjects {
  readonly subjects: readonly Subject[];
  /** Of everything that the manifests hold. */
  readonly resources: readonly Resource[];
}

export async function subjectsOf(flags: SimFlags, io: Io): Promise<Subjects> {
  const wanted = kindsOf(flags.kind);
  if (flags.filename.length === 0) {
    return { subjects: wanted.map((kind) => ({ kind })), resources: [] };
  }
  const manifests = readManifests(flags.filename, false, io).map(({ object }) => object);
  const resources = await servedResources(io);
  const objects = manifests.map((object) => inDefault(object, resources));
  const workloads = objects.flatMap((object) => {
    const kind = wanted.find((each) => isOf(each.resource, object));
    return kind === undefined ? [] : [{ kind, object }];
  });
  if (workloads.length === 0) {
    throw new UserError({
      problem: `${flags.filename.join(", ")} holds no workload that can be simulated`,
      fix: `add a ${wanted.map(({ resource }) => resource.kind).join(", ")}, or change --kind`,
    });
  }
  const others = objects.filter(
    (object) => !simulatedKinds.some((kind) => isOf(kind.resource, object)),
  );
  const subjects = workloads.map(({ kind, object }) => ({ kind, objects: [object, ...others] }));
  return { subjects, resources };
}

function kindsOf(text: string | undefined): readonly SimulatedKind[] {
  if (text === undefined) return simulatedKinds;
  return text.split(",").map((word) => {
    const named = simulatedKinds.find(({ name }) => name === word.trim().toLowerCase());
    if (named !== undefined) return named;
    const known = kinds.find(({ words: { kind, singular, plural, shortNames } }) =>
      [kind.toLowerCase(), singular, plural, ...shortNames].includes(word.trim().toLowerCase()),
    );
    const found = simulatedKinds.find(({ resource }) => resource === known?.resource);
    if (found !== undefined) return found;
    const names = simulatedKinds.map(({ name }) => name).join(", ");
    throw new UserError({
      problem: `--kind: "${word.trim()}" cannot be simulated`,
      fix: `use one or more of ${names}`,
    });
  });
}

const isOf = (resource: Resource, { kind, apiVersion }: KubeObject): boolean =>
  resource.kind === kind && apiVersionOf(resource) === apiVersion;

/** There is one namespace in a simulation. */
function inDefault(object: KubeObject, resources: readonly Resource[]): KubeObject {
  const resource = resources.find((each) => isOf(each, object));
  if (resource === undefined) {
    throw new UserError({
      problem: `the simulated cluster does not serve ${object.kind} of ${object.apiVersion}`,
      fix: "leave it out of the file",
    });
  }
  const { namespace: _namespace, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: resource.namespaced ? { ...metadata, namespace: "default" } : metadata,
  };
}

async function servedResources({ clock }: Io): Promise<readonly Resource[]> {
  const server = createApiServer({ clock, resources: builtinResources() });
  try {
    await installDefinitions(server.client);
    return await discover(server.transport);
  } finally {
    await server.stop();
  }
}

/** Where faults are chosen, images still change: without a rollout there is nothing to see. */
export function ratesOf(text: string | undefined): Rates {
  if (text === undefined) return defaultRates;
  const chosen = Object.fromEntries(
    text
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "none" && word !== "")
      .map(rateOf),
  );
  return { image: defaultRates.image ?? 1, ...chosen };
}

function rateOf(word: string): readonly [FaultName, number] {
  const [name = "", text] = word.split("=");
  const known = faultNames.find((each) => each.toLowerCase() === name.toLowerCase());
  if (known === undefined) {
    const close = nearest(name, faultNames);
    throw new UserError({
      problem: `--faults: "${name}" is no fault`,
      fix: close === undefined ? "`lockstep sim --help` lists them" : `did you mean ${close}?`,
    });
  }
  const rate = text === undefined ? (defaultRates[known] ?? 0) : Number(text);
  if (!(rate >= 0) || rate > 1_000 || text?.trim() === "") {
    throw new UserError({
      problem: `--faults: "${word}" has no rate`,
      fix: `write a number from 0, such as ${known}=0.05`,
    });
  }
  return [known, rate];
}
