/** Lists: chunks, versions, label and field selectors. */
import { expect, test } from "vitest";
import { metadataOf, namesOf } from "../json.ts";
import { configMap, pod } from "../objects.ts";
import type { Cluster, Scene } from "../scene.ts";
import { qualifiedNameRule } from "../wording.ts";
import { asFarAs, verdict } from "../verdict.ts";

async function fiveMaps(cluster: () => Cluster): Promise<Scene> {
  const scene = await cluster().scene();
  for (const name of ["a", "b", "c", "d", "e"]) await scene.create("configmaps", configMap(name));
  return scene;
}

const labelled: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  one: { tier: "web", env: "prod" },
  two: { tier: "web", env: "test" },
  three: { tier: "db", env: "prod" },
  four: {},
};

/** Which of the labelled maps a selector finds. */
const labelSelections: Readonly<Record<string, readonly string[]>> = {
  "tier=web": ["one", "two"],
  "tier==web": ["one", "two"],
  "tier!=web": ["four", "three"],
  "tier in (web,db)": ["one", "three", "two"],
  "tier notin (web)": ["four", "three"],
  tier: ["one", "three", "two"],
  "!tier": ["four"],
  "tier=web,env=prod": ["one"],
  "tier, env!=prod": ["two"],
  "tier in (web), env notin (test)": ["one"],
  "tier=": [],
  "": ["four", "one", "three", "two"],
};

type BrokenSelection = Readonly<Record<string, string>> & { readonly want: string };

/** The refusals of invalid selectors. */
const brokenSelections: Readonly<Record<string, BrokenSelection>> = {
  "an unfinished set": {
    labelSelector: "tier in (web",
    want: "400 BadRequest: unable to parse requirement: found '', expected: ',' or ')'",
  },
  "two signs": {
    labelSelector: "tier=web=db",
    want: "400 BadRequest: found '=', expected: ',' or 'end of string'",
  },
  "a label value with a space": {
    labelSelector: "tier=a b",
    want: "400 BadRequest: found 'b', expected: ',' or 'end of string'",
  },
  "a key with a bad character": {
    labelSelector: "ti@er=web",
    want:
      '400 BadRequest: unable to parse requirement: <nil>: Invalid value: "ti@er": name part ' +
      qualifiedNameRule,
  },
  "an unknown field": {
    fieldSelector: "spec.colour=red",
    want:
      '400 BadRequest: "spec.colour" is not a known field selector: only "metadata.name", ' +
      '"metadata.namespace"',
  },
  "a field without a sign": {
    fieldSelector: "metadata.name",
    want: "400 BadRequest: invalid selector: 'metadata.name'; can't understand 'metadata.name'",
  },
  "a limit in words": {
    limit: "many",
    want: '400 BadRequest: strconv.ParseInt: parsing "many": invalid syntax',
  },
  "a version in words": {
    resourceVersion: "new",
    want:
      '400 BadRequest: invalid resource version: resourceVersion: Invalid value: "new": ' +
      'strconv.ParseUint: parsing "new": invalid syntax',
  },
  "a continue token that is none": {
    continue: "onwards",
    want: "400 BadRequest: invalid continue token: continue key is not valid: ...",
  },
  "a version match without a version": {
    resourceVersionMatch: "Exact",
    want:
      '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ' +
      "resourceVersionMatch is forbidden unless resourceVersion is provided",
  },
};

export function listsAndSelectors(cluster: () => Cluster): void {
  test("a limit gives chunks that together are the list at one version", async () => {
    const { api, path, create } = await fiveMaps(cluster);
    const first = await api.get(path("configmaps"), { limit: 2 });
    expect(namesOf(first.body)).toEqual(["a", "b"]);
    expect(metadataOf(first.body).remainingItemCount).toBe(3);
    await create("configmaps", configMap("bb"));

    const token = metadataOf(first.body).continue!;
    const second = await api.get(path("configmaps"), { limit: 2, continue: token });
    expect(namesOf(second.body)).toEqual(["c", "d"]);
    expect(metadataOf(second.body).remainingItemCount).toBe(1);
    expect(metadataOf(second.body).resourceVersion).toBe(metadataOf(first.body).resourceVersion);

    const rest = { limit: 2, continue: metadataOf(second.body).continue! };
    const third = await api.get(path("configmaps"), rest);
    expect(namesOf(third.body)).toEqual(["e"]);
    expect(metadataOf(third.body)).not.toHaveProperty("continue");
    expect(metadataOf(third.body)).not.toHaveProperty("remainingItemCount");
  });

  test("a limit that is not reached gives the whole list", async () => {
    const { api, path } = await fiveMaps(cluster);
    const { body } = await api.get(path("configmaps"), { limit: 500 });
    expect(namesOf(body)).toHaveLength(5);
    expect(metadataOf(body)).not.toHaveProperty("continue");
  });

  test("a limit counts what the selector lets through, and says no remainder", async () => {
    const { api, path, create } = await fiveMaps(cluster);
    for (const name of ["x", "y", "z"]) {
      await create("configmaps", configMap(name, {}, { labels: { pick: "me" } }));
    }
    const query = { limit: 2, labelSelector: "pick=me" };
    const first = await api.get(path("configmaps"), query);
    expect(namesOf(first.body)).toEqual(["x", "y"]);
    expect(metadataOf(first.body)).not.toHaveProperty("remainingItemCount");
    const next = { ...query, continue: metadataOf(first.body).continue! };
    expect(namesOf((await api.get(path("configmaps"), next)).body)).toEqual(["z"]);
  });

  test("a continued list may not name a version", async () => {
    const { api, path } = await fiveMaps(cluster);
    const first = await api.get(path("configmaps"), { limit: 2 });
    const query = { continue: metadataOf(first.body).continue!, resourceVersion: "1" };
    expect(verdict(await api.get(path("configmaps"), query))).toBe(
      "400 BadRequest: specifying resource version is not allowed when using continue",
    );
  });

  test("an exact version gives the list as it was", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    await create("configmaps", configMap("b"));
    await api.put(path("configmaps", "a"), configMap("a", { k: "v" }));
    const query = { resourceVersion, resourceVersionMatch: "Exact" };
    const { body } = await api.get(path("configmaps"), query);
    expect(namesOf(body)).toEqual(["a"]);
    expect(metadataOf(body).resourceVersion).toBe(resourceVersion);
  });

  test("not older than a version gives that one or a newer", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    const query = { resourceVersion, resourceVersionMatch: "NotOlderThan" };
    const { body } = await api.get(path("configmaps"), query);
    expect(namesOf(body)).toEqual(["a"]);
    expect(Number(metadataOf(body).resourceVersion)).toBeGreaterThanOrEqual(
      Number(resourceVersion),
    );
  });

  test("version 0 takes any state", async () => {
    const { api, path } = await cluster().scene();
    const { status, body } = await api.get(path("configmaps"), { resourceVersion: "0" });
    expect(status).toBe(200);
    expect(body.kind).toBe("ConfigMapList");
  });

  test("a version of the future is too large", async () => {
    const { api, path } = await cluster().scene();
    const query = { resourceVersion: "999999999", resourceVersionMatch: "NotOlderThan" };
    const answer = await api.get(path("configmaps"), query);
    expect(answer.status).toBe(504);
    expect(answer.body).toMatchObject({ reason: "Timeout" });
    expect(answer.body.message).toMatch(
      /^Timeout: Too large resource version: 999999999, current: \d+$/,
    );
  });

  test("the exact version 0 is refused", async () => {
    const { api, path } = await cluster().scene();
    const query = { resourceVersion: "0", resourceVersionMatch: "Exact" };
    expect(verdict(await api.get(path("configmaps"), query))).toBe(
      '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ' +
        'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    );
  });

  test.each(Object.entries(labelSelections))("labels %j select %j", async (labelSelector, want) => {
    const { api, path, create } = await cluster().scene();
    for (const [name, labels] of Object.entries(labelled)) {
      await create("configmaps", configMap(name, {}, { labels }));
    }
    const { body } = await api.get(path("configmaps"), { labelSelector });
    expect(namesOf(body)).toEqual(want);
  });

  test.each(Object.entries(brokenSelections))("%s is refused", async (_name, given) => {
    const { api, path } = await cluster().scene();
    const { want, ...query } = given;
    const answer = await api.get(path("configmaps"), query);
    expect(asFarAs(want, verdict(answer))).toBe(want);
  });

  const podSelections: Readonly<Record<string, readonly string[]>> = {
    "metadata.name=waiting": ["waiting"],
    "metadata.name!=waiting": ["placed", "running"],
    "spec.nodeName=some-node": ["placed", "running"],
    "spec.nodeName=": ["waiting"],
    "status.phase=Running": ["running"],
    "status.phase!=Running": ["placed", "waiting"],
    "spec.nodeName=some-node,status.phase=Pending": ["placed"],
    "spec.restartPolicy=Never": [],
    "spec.schedulerName=default-scheduler": ["placed", "running", "waiting"],
  };

  test.each(Object.entries(podSelections))("fields %j select %j", async (fieldSelector, want) => {
    const { api, path, create } = await cluster().scene();
    await create("pods", pod("waiting"));
    await create("pods", pod("placed", { nodeName: "some-node" }));
    await create("pods", pod("running", { nodeName: "some-node" }));
    await api.patch("merge", path("pods", "running", "status"), { status: { phase: "Running" } });
    const { body } = await api.get(path("pods"), { fieldSelector });
    expect(namesOf(body)).toEqual(want);
  });

  test("events are found by the object they are about", async () => {
    const { api, path, create, ns } = await cluster().scene();
    const about = (name: string): Record<string, string> => ({ kind: "Pod", name, namespace: ns });
    await create("events", {
      metadata: { name: "e1" },
      involvedObject: about("p"),
      type: "Normal",
    });
    await create("events", {
      metadata: { name: "e2" },
      involvedObject: about("q"),
      type: "Warning",
    });
    const found = async (fieldSelector: string): Promise<string[]> =>
      namesOf((await api.get(path("events"), { fieldSelector })).body);
    expect(await found("involvedObject.name=p,involvedObject.kind=Pod")).toEqual(["e1"]);
    expect(await found(`involvedObject.namespace=${ns}`)).toEqual(["e1", "e2"]);
    expect(await found("type=Warning")).toEqual(["e2"]);
  });

  test("secrets are found by their type", async () => {
    const { api, path, create } = await cluster().scene();
    await create("secrets", { metadata: { name: "a" } });
    await create("secrets", { metadata: { name: "b" }, type: "mine" });
    const { body } = await api.get(path("secrets"), { fieldSelector: "type=mine" });
    expect(namesOf(body)).toEqual(["b"]);
  });
}
