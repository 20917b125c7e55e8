import { expect, test } from "vitest";
import { withDefaults } from "../../api/grove/defaults.ts";
import type { PodCliqueSetSpec } from "../../api/grove/podcliqueset.ts";
import { acceptedAnnotation, acceptedText, lastAccepted } from "./accepted-spec.ts";
import type { SetRevision } from "./set-revisions.ts";
import { parseRevision, recordedCliques, revisionData } from "./set-revisions.ts";

const podSpec = { containers: [{ name: "app", image: "front:v1" }] };
const spec: PodCliqueSetSpec = {
  replicas: 3,
  updateStrategy: { type: "ReplicaRecreate", rollingUpdate: { maxSurge: 1 } },
  template: {
    terminationDelay: "1h",
    cliques: [
      { name: "work", labels: { tier: "back" }, spec: { roleName: "work", replicas: 4, podSpec } },
      { name: "front", spec: { roleName: "front", podSpec } },
    ],
    podCliqueScalingGroups: [{ name: "pair", cliqueNames: ["work"] }],
  },
};

const recordedWith = (annotations: Record<string, string>): SetRevision | undefined =>
  parseRevision({
    metadata: { name: "chat-v1", annotations },
    data: revisionData(recordedCliques(spec.template.cliques), []),
    revision: 1,
  });

const text = acceptedText(withDefaults(spec));
const status = { replicas: 3 };

test("what a revision and its annotation record is the whole spec", () => {
  const found = lastAccepted({ status }, recordedWith({ [acceptedAnnotation]: text }));
  expect(found && withDefaults(found)).toEqual(withDefaults(spec));
});

test("neither scaling nor another image changes the annotation, another strategy does", () => {
  const { template, updateStrategy } = spec;
  const other = { containers: [{ name: "app", image: "front:v2" }] };
  const cliques = template.cliques.map((clique) => ({
    ...clique,
    spec: { ...clique.spec, podSpec: other },
  }));
  const textOf = (changed: Partial<PodCliqueSetSpec>) =>
    acceptedText(withDefaults({ ...spec, ...changed }));
  expect(textOf({ replicas: 9, template: { ...template, cliques } })).toBe(text);
  expect(textOf({ updateStrategy: { ...updateStrategy, paused: true } })).not.toBe(text);
});

const unknownCases: Record<string, { given: SetRevision | undefined; replicas?: number }> = {
  "there is no revision": { given: undefined, replicas: 3 },
  "its revision has no annotation": { given: recordedWith({}), replicas: 3 },
  "its annotation is no JSON": { given: recordedWith({ [acceptedAnnotation]: "{" }), replicas: 3 },
  "it never had a status": { given: recordedWith({ [acceptedAnnotation]: text }) },
};

test.each(Object.entries(unknownCases))(
  "nothing is known where %s",
  (_case, { given, replicas }) => {
    const known = replicas === undefined ? {} : { status: { replicas } };
    expect(lastAccepted(known, given)).toBeUndefined();
  },
);
