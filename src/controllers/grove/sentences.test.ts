/** What the grove kinds say of what they did and what is in their way, each for a state in which it is true. */
import { expect, test } from "vitest";
import {
  actionLines,
  eventLines,
  nameConflictLines,
  sentencesOf,
} from "../../../test/builders/sentences.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Status } from "../../api/status.ts";
import { ApiError } from "../../api/status.ts";
import { adoptedText } from "../engine/ownership.ts";
import { writesOf } from "../engine/write.ts";
import { claimsRead } from "./align-claims.ts";
import { podCliqueSetLevel } from "./claim-sharing.ts";
import { actionReasons, adoptionOf, nameConflicts } from "./orphans.ts";

const refusal = (code: number, reason: string, message: string): ApiError =>
  new ApiError({ code, reason, message } as Status);

const kinds = { owner: podCliqueSetResource, resource: podCliqueResource };
const adopted = (): readonly string[] => {
  const { reason } = adoptionOf(() => []);
  const message = adoptedText(["PodClique chat-0-web", "Pod chat-0-web-0"]);
  return eventLines([{ type: "Normal", reason: reason ?? "", message }]);
};

interface Claims {
  /** What the server answers, or throws. */
  readonly list: readonly KubeObject[] | Error;
  readonly hasTemplate?: boolean;
  /** The claim that takes the name while ours is created. */
  readonly taken?: KubeObject;
}

/** Of a set that shares `gpu` among its replicas. */
async function claimLines({
  list,
  hasTemplate = false,
  taken,
}: Claims): Promise<readonly string[]> {
  const owner = { metadata: { name: "chat", namespace: "default", uid: "chat" } };
  const level = podCliqueSetLevel("chat", {
    resourceSharing: [{ name: "gpu", scope: "AllReplicas" }],
  });
  const templates = hasTemplate ? [{ name: "gpu", templateSpec: { spec: {} } }] : [];
  const read = claimsRead(
    { resource: podCliqueSetResource, owner, level, templates, indices: [0], leaving: [] } as never,
    () => undefined,
  );
  const live = {
    list: () => (list instanceof Error ? Promise.reject(list) : Promise.resolve({ items: list })),
    get: () => Promise.reject(refusal(404, "NotFound", "no such template")),
  };
  const answer = await read.read(live as never).catch((error: unknown) => read.onError?.(error));
  const [create] = writesOf(answer?.writes ?? []);
  const conflict = create?.verb === "create" ? create.ifExists?.(taken) : undefined;
  const problem = typeof conflict === "object" && "problem" in conflict ? conflict.problem : "";
  const message = answer?.problem ?? problem;
  return eventLines([{ type: "Warning", reason: read.problemReason ?? "", message }]);
}

const claimOf = (more: object): KubeObject => ({
  metadata: { name: "chat-all-gpu", namespace: "default", ...more },
});
const ofOther = claimOf({
  ownerReferences: [{ apiVersion: "", kind: "Job", name: "train", uid: "j", controller: true }],
});
const leaving = claimOf({
  deletionTimestamp: "2026-01-01T00:00:00Z",
  ownerReferences: [{ apiVersion: "", kind: "Job", name: "train", uid: "j", controller: true }],
});

type Said = () => readonly string[] | Promise<readonly string[]>;

const said: Readonly<Record<string, readonly [Said]>> = {
  "pods were created": [
    () =>
      actionLines(actionReasons, {
        created: Array.from({ length: 7 }, (_, index) => `chat-0-web-${index}`),
      }),
  ],
  "one pod was deleted": [() => actionLines(actionReasons, { deleted: ["chat-0-web-9"] })],
  "a replica of a group was deleted": [
    () => actionLines(actionReasons, { removed: ["chat-0-pair-1"] }),
  ],
  "replicas are updated": [() => actionLines(actionReasons, { updating: ["chat-0", "chat-1"] })],
  "an earlier set left something behind": [adopted],
  "an object of nobody has the name": [() => nameConflictLines(nameConflicts, kinds)],
  "an object of another set has the name": [
    () => nameConflictLines(nameConflicts, kinds, { kind: "PodCliqueSet", name: "chat-2" }),
  ],
  "the cluster has no claims": [() => claimLines({ list: refusal(404, "NotFound", "not found") })],
  "the server refuses to list claims": [
    () => claimLines({ list: refusal(403, "Forbidden", "resourceclaims is forbidden") }),
  ],
  "a claim belongs to somebody else": [() => claimLines({ list: [ofOther] })],
  "a claim has no template": [() => claimLines({ list: [] })],
  "an old claim is being deleted": [
    () => claimLines({ list: [], hasTemplate: true, taken: leaving }),
  ],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(said, async ([says]) => {
    const lines = await says();
    return lines;
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});
