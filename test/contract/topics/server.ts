/** The server itself: authentication, version, health, unknown paths, and content types. */
import { expect, test } from "vitest";
import { at, metadataOf } from "../json.ts";
import { configMap } from "../objects.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";

export function server(cluster: () => Cluster): void {
  test("a wrong token is refused", async () => {
    const { api, path } = await cluster().scene();
    const headers = { authorization: "Bearer wrong" };
    const answer = await api.send("GET", path("pods"), { headers });
    expect(verdict(answer)).toBe("401 Unauthorized: Unauthorized");
    expect(answer.body).toMatchObject({ kind: "Status", status: "Failure", code: 401 });
  });

  test.each(["/healthz", "/livez", "/readyz"])("%s says ok", async (path) => {
    const { status, text } = await cluster().api.get(path);
    expect([status, text]).toEqual([200, "ok"]);
  });

  test("the version has the fields that clients read", async () => {
    const { status, body } = await cluster().api.get("/version");
    expect(status).toBe(200);
    expect(body).toMatchObject({ major: "1", minor: expect.stringMatching(/^\d+\+?$/) as string });
    expect(body.gitVersion).toMatch(/^v1\.\d+\.\d+/);
    expect(Object.keys(body)).toEqual(
      expect.arrayContaining(["gitCommit", "gitTreeState", "buildDate", "goVersion", "platform"]),
    );
  });

  test.each(["/nothing", "/apis/no.such.group/v1", "/apis/no.such.group/v1/things"])(
    "%s is not found, in plain text",
    async (path) => {
      const { status, text } = await cluster().api.get(path);
      expect([status, text.trim()]).toEqual([404, "404 page not found"]);
    },
  );

  test.each([
    "/api/v2",
    "/api/v1/nothing",
    "/apis/apps/v1/nothing",
    "/api/v1/namespaces/default/nothing",
  ])("%s is not found, in a Status", async (path) => {
    const answer = await cluster().api.get(path);
    expect(verdict(answer)).toBe("404 NotFound: the server could not find the requested resource");
  });

  test("an answer in a form that the server cannot give is refused", async () => {
    const { api, path } = await cluster().scene();
    const answer = await api.get(path("pods"), {}, { accept: "image/png" });
    expect(answer.status).toBe(406);
    expect(answer.body).toMatchObject({ kind: "Status", reason: "NotAcceptable" });
  });

  test("a body in a form that the server cannot read is refused", async () => {
    const { api, path } = await cluster().scene();
    const headers = { "content-type": "text/csv" };
    const answer = await api.send("POST", path("configmaps"), { body: "a,b", headers });
    expect(answer.status).toBe(415);
    expect(answer.body).toMatchObject({ kind: "Status", reason: "UnsupportedMediaType" });
  });

  test("YAML is given when asked for", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", { k: "v" }));
    const answer = await api.get(path("configmaps", "a"), {}, { accept: "application/yaml" });
    expect(answer.headers["content-type"]).toBe("application/yaml");
    expect(answer.text).toContain("data:\n  k: v\n");
  });

  const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  test("an object's metadata alone is given when asked for", async () => {
    const { api, path, create } = await cluster().scene();
    const { uid } = metadataOf(await create("configmaps", configMap("a", { k: "v" })));
    const { body } = await api.get(path("configmaps", "a"), {}, { accept: partial });
    expect(body).toMatchObject({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" });
    expect(metadataOf(body)).toMatchObject({ name: "a", uid });
    expect(body).not.toHaveProperty("data");
  });

  test("a list's metadata alone is given when asked for", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a", { k: "v" }));
    const accept = partial.replace("Metadata", "MetadataList");
    const { body } = await api.get(path("configmaps"), {}, { accept });
    expect(body).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" });
    expect(at(body, "items.0.metadata.name")).toBe("a");
    expect(at(body, "items.0.data")).toBeUndefined();
  });

  test("a watch of metadata alone", async () => {
    const { api, path, create } = await cluster().scene();
    const { resourceVersion } = metadataOf(await create("configmaps", configMap("a")));
    await create("configmaps", configMap("b", { k: "v" }));
    const watch = await api.watch(path("configmaps"), { resourceVersion }, { accept: partial });
    const line = await watch.next();
    watch.close();
    expect(line!.object).toMatchObject({ kind: "PartialObjectMetadata" });
    expect(line!.object).not.toHaveProperty("data");
  });

  test("HEAD of an object is not offered", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    expect((await api.send("HEAD", path("configmaps", "a"))).status).toBe(405);
  });

  test("a form that is asked for first wins when both can be given", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", configMap("a"));
    const accept = "application/vnd.unknown, application/json";
    const answer = await api.get(path("configmaps", "a"), {}, { accept });
    expect(answer.headers["content-type"]).toBe("application/json");
  });
}
