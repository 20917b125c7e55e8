/** Looks at the ResourceClaims of one owner on the server: makes, takes over and removes what its replicas need. */
import { selectorText } from "../../api/grove/labels.ts";
import type { KubeObject } from "../../api/object.ts";
import { isTerminating } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { ResourceClaim } from "../../api/resource-claim.ts";
import { resourceClaimResource } from "../../api/resource-claim.ts";
import { ApiError, isAlreadyExists, isNotFound } from "../../api/status.ts";
import type { Client } from "../../runtime/client.ts";
import type { Adopter } from "../engine/adopt.ts";
import { adopt } from "../engine/adopt.ts";
import { controllerReferenceTo, deleteChild } from "../engine/child-writes.ts";
import type { SharingLevel, WantedClaim } from "./claim-sharing.ts";
import { claimsOf } from "./claim-sharing.ts";
import type { OwnTemplates } from "./claim-templates.ts";
import { ClaimTemplates, namespaceOf } from "./claim-templates.ts";
import { controllerOf } from "../engine/ownership.ts";

export interface ClaimNeeds {
  readonly resource: Resource;
  readonly owner: KubeObject;
  readonly level: SharingLevel;
  readonly templates: OwnTemplates;
  /** Replicas that are or will be. */
  readonly indices: readonly number[];
  /** Replicas of which something is left: their claims go after them, not before. */
  readonly leaving: readonly number[];
}

export interface Found {
  readonly lookAgainMs: number;
  /** What its owner's user has to know. */
  readonly problem?: string;
}

/** What somebody deletes is told by a watch; where that cannot be had, it is noticed this late. */
const usualLookMs = 600_000;
const problemLookMs = 10_000;
const goingLookMs = 1_000;

export const notServed =
  `this cluster does not serve ${apiVersionOf(resourceClaimResource)}, so claims of resourceSharing cannot be made: ` +
  "use Kubernetes 1.34 or later, or remove resourceSharing";

type Tools = Pick<Adopter, "client" | "events">;

/** Brings the claims of one owner in step with what it needs. */
export async function lookAtClaims(tools: Tools, needs: ClaimNeeds): Promise<Found> {
  const { namespace } = needs.owner.metadata;
  const labelSelector = selectorText(needs.level.labels);
  const selection = { namespace, labelSelector };
  try {
    const { items } = await tools.client.list<ResourceClaim>(resourceClaimResource, selection);
    return await align(tools, needs, items);
  } catch (error) {
    // A list finds nothing or something; only one of an unknown kind is not found itself.
    if (isNotFound(error)) return { lookAgainMs: usualLookMs, problem: notServed };
    return failure(error);
  }
}

/** A clear answer is for the user to act on; no answer is only tried again. */
const failure = (error: unknown): Found => {
  const isAnswer = error instanceof ApiError && !isPassing(error);
  return {
    lookAgainMs: problemLookMs,
    ...(isAnswer ? { problem: `ResourceClaims cannot be kept: ${error.message}` } : {}),
  };
};

/** Lost races and overload: the next look is likely to do better. */
const isPassing = ({ code }: ApiError): boolean => [404, 409, 429].includes(code) || code >= 500;

async function align(
  tools: Tools,
  needs: ClaimNeeds,
  existing: readonly ResourceClaim[],
): Promise<Found> {
  const { client } = tools;
  const { level, owner, indices, leaving } = needs;
  const kept = new Set(claimsOf(level, [...indices, ...leaving]).map(({ name }) => name));
  const staying = existing.filter((claim) => !isTerminating(claim));
  const over = staying.filter(
    (claim) =>
      controllerOf(claim)?.uid === owner.metadata.uid && !kept.has(claim.metadata.name ?? ""),
  );
  const orphans = staying.filter(
    (claim) => controllerOf(claim) === undefined && kept.has(claim.metadata.name ?? ""),
  );
  const byName = new Map(existing.map((claim) => [claim.metadata.name, claim]));
  const templates = new ClaimTemplates(client, needs.templates, owner.metadata.namespace);
  const found: Found[] = [];
  found.push(await tried(takeOver(tools, needs, orphans)));
  for (const claim of over) found.push(await tried(remove(client, claim)));
  for (const wanted of claimsOf(level, indices)) {
    const claim = byName.get(wanted.name);
    found.push(await tried(ensure(client, needs, { wanted, claim, templates })));
  }
  return found.reduce(worse, { lookAgainMs: usualLookMs });
}

/** What fails for one claim is no reason to leave out the others. */
const tried = (work: Promise<Found>): Promise<Found> => work.catch(failure);

/** Those that bear the labels of this owner were made for a namesake that left them behind. */
async function takeOver(
  tools: Tools,
  { resource, owner }: ClaimNeeds,
  claims: readonly ResourceClaim[],
): Promise<Found> {
  const orphans = claims.map((object) => ({ resource: resourceClaimResource, object }));
  const heldUpMs = (await adopt({ ...tools, resource, owner }, orphans)) ?? 0;
  return { lookAgainMs: heldUpMs > 0 ? goingLookMs : usualLookMs };
}

async function remove(client: Client, claim: ResourceClaim): Promise<Found> {
  await deleteChild(client, resourceClaimResource, claim);
  return { lookAgainMs: usualLookMs };
}

const worse = (a: Found, b: Found): Found => ({
  lookAgainMs: Math.min(a.lookAgainMs, b.lookAgainMs),
  problem: a.problem ?? b.problem,
});

interface Ensured {
  readonly wanted: WantedClaim;
  readonly claim: ResourceClaim | undefined;
  readonly templates: ClaimTemplates;
}

async function ensure(
  client: Client,
  needs: ClaimNeeds,
  { wanted, claim, templates }: Ensured,
): Promise<Found> {
  if (claim !== undefined) return judged(needs, claim);
  const { name, labels, template } = wanted;
  const { namespace } = needs.owner.metadata;
  const spec = await templates.specOf(template);
  if (spec === undefined) return missingTemplate(needs, wanted);
  try {
    await client.create<ResourceClaim>(resourceClaimResource, {
      apiVersion: apiVersionOf(resourceClaimResource),
      kind: resourceClaimResource.kind,
      metadata: {
        name,
        namespace,
        labels,
        ownerReferences: [controllerReferenceTo(needs.resource, needs.owner)],
      },
      spec,
    });
    return { lookAgainMs: usualLookMs };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return judged(needs, await client.get(resourceClaimResource, { namespace, name }));
  }
}

/** One that nobody controls was put there for this purpose, or was just taken over; one of a namesake has yet to go. */
function judged({ owner, resource }: ClaimNeeds, claim: ResourceClaim): Found {
  const controller = controllerOf(claim);
  if (isTerminating(claim)) return { lookAgainMs: goingLookMs };
  if (controller === undefined || controller.uid === owner.metadata.uid) {
    return { lookAgainMs: usualLookMs };
  }
  const isOfNamesake = controller.kind === resource.kind && controller.name === owner.metadata.name;
  if (isOfNamesake) return { lookAgainMs: goingLookMs };
  const problem =
    `ResourceClaim ${claim.metadata.name} belongs to ${controller.kind} ${controller.name}: ` +
    "rename the set, or the template that it is made from";
  return { lookAgainMs: problemLookMs, problem };
}

function missingTemplate({ owner }: ClaimNeeds, { name, template }: WantedClaim): Found {
  const place = `${namespaceOf(template.namespace, owner.metadata.namespace)}/${template.name}`;
  const problem =
    `ResourceClaim ${name} waits for its template: there is no ResourceClaimTemplate ${place}, ` +
    "and none of that name in resourceClaimTemplates";
  return { lookAgainMs: problemLookMs, problem };
}
