/** Brings the ResourceClaims of one owner in step with what its replicas need, by a fresh list of them. */
import { selectorText } from "../../api/grove/labels.ts";
import type { PodCliqueSetTemplate } from "../../api/grove/podcliqueset.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { ResourceClaim, ResourceClaimTemplate } from "../../api/resource-claim.ts";
import { resourceClaimResource, resourceClaimTemplateResource } from "../../api/resource-claim.ts";
import { ApiError, isNotFound } from "../../api/status.ts";
import { adoptionWrite, controllerOf, controllerReferenceTo } from "../engine/ownership.ts";
import { isStillThere, lookUp, worse } from "../engine/live-reads.ts";
import { NameConflictProblem } from "../engine/perform.ts";
import type { CreateWrite, LiveAnswer, LiveRead, LiveReader, Write } from "../engine/write.ts";
import { createOf, deletesOf } from "../engine/write.ts";
import type { SharingLevel, WantedClaim } from "./claim-sharing.ts";
import { claimsOf } from "./claim-sharing.ts";

export interface ClaimNeeds {
  readonly resource: Resource;
  readonly owner: KubeObject;
  readonly level: SharingLevel;
  /** Templates that the set itself holds. */
  readonly templates: PodCliqueSetTemplate["resourceClaimTemplates"];
  /** Replicas that exist or will. */
  readonly indices: readonly number[];
  /** Replicas of which something is left: their claims go after them, not before. */
  readonly leaving: readonly number[];
}

/** A watch reports what somebody deletes; where it cannot be had, a deletion is noticed this late. */
const usualMs = 600_000;
const problemMs = 10_000;
const terminatingMs = 1_000;

export const notServed =
  `this cluster does not serve ${apiVersionOf(resourceClaimResource)}, so claims of resourceSharing cannot be made: ` +
  "use Kubernetes 1.34 or later, or remove resourceSharing";

/**
 * Never closed: pods that wait for a claim start when it is there. What goes wrong is reported and tried again, and
 * holds nothing else up. `onServed` is called once the cluster has shown that it serves claims.
 */
export function claimsRead(needs: ClaimNeeds, onServed: () => void): LiveRead {
  const { owner, level, indices, leaving } = needs;
  return {
    question: `ResourceClaims ${JSON.stringify([level.ownerName, owner.metadata.uid, indices, leaving])}`,
    problemReason: "ResourceClaimFailed",
    onError: failure,
    read: async (live) => {
      const existing = await listClaims(live, needs);
      if (existing === undefined) {
        return { isOpen: true, holdsForMs: usualMs, problem: notServed };
      }
      const names = new Set(claimsOf(level, indices).map(({ name }) => name));
      return { ...(await align(live, needs, existing)), names, onDone: onServed };
    },
  };
}

/** Undefined where the cluster does not serve them. */
async function listClaims(
  live: LiveReader,
  { owner, level }: ClaimNeeds,
): Promise<readonly ResourceClaim[] | undefined> {
  const { namespace } = owner.metadata;
  const selection = { namespace, labelSelector: selectorText(level.labels) };
  try {
    return (await live.list<ResourceClaim>(resourceClaimResource, selection)).items;
  } catch (error) {
    // A list finds nothing or something; only one of an unknown kind is not found itself.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A clear answer is for the user to act on; no answer is only tried again. */
function failure(error: unknown): LiveAnswer {
  const answer = { isOpen: true, holdsForMs: problemMs };
  if (error instanceof NameConflictProblem) return { ...answer, problem: error.message };
  const isAnswer = error instanceof ApiError && !isPassing(error);
  return isAnswer
    ? { ...answer, problem: `ResourceClaims cannot be kept: ${error.message}` }
    : answer;
}

/** Lost races and overload: the next try is likely to do better. */
const isPassing = ({ code }: ApiError): boolean => [404, 409, 429].includes(code) || code >= 500;

async function align(
  live: LiveReader,
  needs: ClaimNeeds,
  existing: readonly ResourceClaim[],
): Promise<LiveAnswer> {
  const { level, indices } = needs;
  const byName = new Map(existing.map((claim) => [claim.metadata.name, claim]));
  const specs = new Map<string, unknown>();
  const answers: LiveAnswer[] = [await upkeep(live, needs, existing)];
  for (const wanted of claimsOf(level, indices)) {
    const claim = byName.get(wanted.name);
    if (claim !== undefined) answers.push(assess(needs, claim));
    else answers.push(await creation(live, needs, { wanted, specs }));
  }
  return answers.reduce((a, b) => worse(a, b));
}

const fine: LiveAnswer = { isOpen: true, holdsForMs: usualMs };

/** Adopts what an earlier owner of this name left behind, and deletes what no replica needs any more. */
async function upkeep(
  live: LiveReader,
  { resource, owner, level, indices, leaving }: ClaimNeeds,
  existing: readonly ResourceClaim[],
): Promise<LiveAnswer> {
  const kept = new Set(claimsOf(level, [...indices, ...leaving]).map(({ name }) => name));
  const isKept = ({ metadata }: ResourceClaim): boolean => kept.has(metadata.name ?? "");
  const staying = existing.filter((claim) => !isTerminating(claim));
  const surplus = staying.filter(
    (claim) => controllerOf(claim)?.uid === owner.metadata.uid && !isKept(claim),
  );
  const orphans = staying.filter((claim) => controllerOf(claim) === undefined && isKept(claim));
  const deletes = deletesOf(resourceClaimResource, surplus);
  if (orphans.length === 0) return { ...fine, writes: deletes };
  // What an owner adopts while it is deleted would be deleted with it.
  if (!(await isStillThere(live, resource, owner))) {
    return { ...fine, holdsForMs: terminatingMs, writes: deletes };
  }
  const reference = controllerReferenceTo(resource, owner);
  const adoptions = orphans.map((object): Write =>
    adoptionWrite(reference, { resource: resourceClaimResource, object }, "fail"),
  );
  return { ...fine, writes: [...adoptions, ...deletes] };
}

/** A claim that nobody controls was put there for this purpose; one of an earlier owner of this name has yet to go. */
function assess({ owner, resource }: ClaimNeeds, claim: KubeObject): LiveAnswer {
  const controller = controllerOf(claim);
  if (isTerminating(claim)) return { ...fine, holdsForMs: terminatingMs };
  if (controller === undefined || controller.uid === owner.metadata.uid) return fine;
  const isOfEarlierOwner =
    controller.kind === resource.kind && controller.name === owner.metadata.name;
  if (isOfEarlierOwner) return { ...fine, holdsForMs: terminatingMs };
  const problem =
    `ResourceClaim ${claim.metadata.name} belongs to ${controller.kind} ${controller.name}: ` +
    "rename the set, or the template that it is made from";
  return { isOpen: true, holdsForMs: problemMs, problem };
}

interface Missing {
  readonly wanted: WantedClaim;
  /** Specs of templates that were read already, by namespace and name. */
  readonly specs: Map<string, unknown>;
}

async function creation(
  live: LiveReader,
  needs: ClaimNeeds,
  { wanted, specs }: Missing,
): Promise<LiveAnswer> {
  const spec = await templateSpec(live, needs, { wanted, specs });
  if (spec !== undefined) return { ...fine, writes: [claimCreate(needs, wanted, spec)] };
  const { namespace, name } = templateKey(needs, wanted);
  const problem =
    `ResourceClaim ${wanted.name} waits for its template: there is no ResourceClaimTemplate ${namespace}/${name}, ` +
    "and none of that name in resourceClaimTemplates";
  return { isOpen: true, holdsForMs: problemMs, problem };
}

function claimCreate(needs: ClaimNeeds, wanted: WantedClaim, spec: unknown): CreateWrite {
  const { name, labels } = wanted;
  const { namespace } = needs.owner.metadata;
  const ownerReferences = [controllerReferenceTo(needs.resource, needs.owner)];
  const claim = {
    apiVersion: apiVersionOf(resourceClaimResource),
    kind: resourceClaimResource.kind,
    metadata: { name, namespace, labels: { ...labels }, ownerReferences },
    spec,
  };
  return {
    ...createOf(resourceClaimResource, claim),
    ifExists: (found) => {
      const { problem, holdsForMs } = found === undefined ? fine : assess(needs, found);
      if (problem !== undefined) return { problem };
      return holdsForMs === terminatingMs
        ? { problem: `ResourceClaim ${name} is being deleted: a new one is made when it is gone` }
        : "accept";
    },
  };
}

/** Where a template is that the set does not hold itself: beside the set unless it says otherwise. */
function templateKey(
  { owner }: ClaimNeeds,
  { template }: WantedClaim,
): { readonly namespace: string | undefined; readonly name: string } {
  const { namespace: given, name } = template;
  const isGiven = given !== undefined && given !== "";
  return { namespace: isGiven ? given : owner.metadata.namespace, name };
}

/** Undefined where there is no such template. */
async function templateSpec(
  live: LiveReader,
  needs: ClaimNeeds,
  { wanted, specs }: Missing,
): Promise<unknown> {
  const own = needs.templates?.find(({ name }) => name === wanted.template.name);
  if (own !== undefined) return own.templateSpec.spec;
  const key = templateKey(needs, wanted);
  const text = `${key.namespace}/${key.name}`;
  if (!specs.has(text)) {
    const found = await lookUp<ResourceClaimTemplate>(live, resourceClaimTemplateResource, key);
    specs.set(text, found?.spec.spec);
  }
  return specs.get(text);
}
