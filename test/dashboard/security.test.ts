/** Who gets what from the dashboard: nothing without the token, nothing for other sites, nothing beside its pages. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { dashboardWorld, token } from "../builders/dashboard-world.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";

let world: Awaited<ReturnType<typeof dashboardWorld>>;
beforeAll(async () => {
  world = await dashboardWorld({ allowsActions: false });
});
afterAll(() => world.stop());

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Paths go out as they are written, which fetch would not do. */
function ask({ path, method = "GET", headers = {}, body }: Asked) {
  const { hostname, port } = new URL(world.origin);
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      const asked = request({ hostname, port, path, method, headers }, (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
        );
      });
      asked.on("error", reject);
      asked.end(body);
    },
  );
}

const authorized = { authorization: `Bearer ${token}` };

test.each([
  "/api/features",
  "/api/stream",
  "/api/frames?rollout=x",
  "/api/rollout?rollout=x",
  "/api/diff?rollout=x",
])("%s wants the token", async (path) => {
  expect((await ask({ path })).status).toBe(401);
  const wrong = { authorization: "Bearer something-else-entirely" };
  expect((await ask({ path, headers: wrong })).status).toBe(401);
  const cookie = { cookie: `token=${token}` };
  expect((await ask({ path, headers: cookie })).status).toBe(401);
});

test("a post of another site has no token, and does nothing", async () => {
  const headers = { origin: "https://evil.example", "content-type": "text/plain" };
  const body = JSON.stringify({ rollout: "podcliqueset/default/chat", verb: "restart" });
  expect((await ask({ path: "/api/act", method: "POST", headers, body })).status).toBe(401);
  const stolen = { ...headers, ...authorized };
  expect((await ask({ path: "/api/act", method: "POST", headers: stolen, body })).status).toBe(403);
});

test("a body that is no JSON is refused", async () => {
  const headers = authorized;
  const answer = await ask({ path: "/api/plan", method: "POST", headers, body: "{" });
  expect(answer.status).toBe(400);
});

const image = { container: "*", image: "app:v2" };
const oddBodies: Record<string, [body: unknown, message: string]> = {
  "a list": [[], "the request must be an object"],
  text: ["x", "the request must be an object"],
  "a rollout that is a number": [{ rollout: 1 }, "rollout must be text"],
  "a verb that is an object": [{ verb: {} }, "verb must be text"],
  "a name that is an object": [{ verb: "crashPod", name: {} }, "name must be text"],
  "images that are text": [{ images: "x" }, "images must be a list"],
  "an image that is nothing": [{ images: [image, null] }, "images must be a list"],
  "an image without a container": [{ images: [{ image: "x" }] }, "images must be a list"],
  "an image that is a number": [{ images: [{ container: "*", image: 5 }] }, "images must be"],
  "a revision that is text": [{ toRevision: "__proto__" }, "toRevision must be the number"],
  "a revision below the first": [{ toRevision: 0 }, "toRevision must be the number"],
};

test.each(Object.entries(oddBodies))(
  "a body is read field by field: %s is refused",
  async (_what, [given, message]) => {
    const body = JSON.stringify(given);
    for (const path of ["/api/plan", "/api/act", "/api/break"]) {
      const { status, text } = await ask({ path, method: "POST", headers: authorized, body });
      expect([status, text]).toEqual([400, expect.stringContaining(message)]);
    }
  },
);

test.each(["//", "http://["])("%s is no address", async (path) => {
  expect((await ask({ path })).status).toBe(400);
});

test("a name that points to this machine is not served", async () => {
  const headers = { host: "evil.example:80", ...authorized };
  expect((await ask({ path: "/api/features", headers })).status).toBe(421);
  expect((await ask({ path: "/", headers: { host: "evil.example" } })).status).toBe(421);
});

test.each([
  "/../package.json",
  "/page/../../package.json",
  "/%2e%2e/package.json",
  "//etc/passwd",
  "/index.html",
  "/..%2f..%2fpackage.json",
  "/page/%2e%2e/server.ts",
  "/\\..\\package.json",
])("%s is no page", async (path) => {
  const answer = await ask({ path });
  expect(answer.status).toBe(404);
  expect(answer.text).not.toContain('lockstep"');
});

test("pages allow nothing from anywhere else, and no frame around them", async () => {
  const { status, headers } = await ask({ path: "/" });
  expect(status).toBe(200);
  const policy = String(headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(headers["x-content-type-options"]).toBe("nosniff");
});

test("a dashboard that only looks changes nothing", async () => {
  await world.client.create(podCliqueSetResource, podCliqueSetOf({ cliques: { front: {} } }));
  const body = JSON.stringify({ rollout: "podcliqueset/default/chat", verb: "restart" });
  const answer = await ask({ path: "/api/act", method: "POST", headers: authorized, body });
  expect(answer.status).toBe(403);
  expect(answer.text).toContain("--allow-actions");
  const broken = JSON.stringify({ verb: "loseNode", node: "node-0" });
  const lost = await ask({ path: "/api/break", method: "POST", headers: authorized, body: broken });
  expect(lost.status).toBe(403);
});

test("what makes no sense is said to be the user's mistake, and few plans are played at once", async () => {
  const wanted = "podcliqueset/default/many";
  await world.client.create(
    podCliqueSetResource,
    podCliqueSetOf({ name: "many", cliques: { front: {} } }),
  );
  const path = `/api/rollout?rollout=${wanted}`;
  const isThere = async () => (await ask({ path, headers: authorized })).status;
  await expect.poll(isThere, { timeout: 20_000 }).toBe(200);
  const plan = (container: string) => {
    const body = JSON.stringify({ rollout: wanted, images: [{ container, image: "app:v2" }] });
    return ask({ path: "/api/plan", method: "POST", headers: authorized, body });
  };
  const mistaken = await plan("nobody");
  expect([mistaken.status, mistaken.text]).toEqual([
    409,
    expect.stringContaining("no container is called nobody; use one of front/app"),
  ]);
  const statuses = (await Promise.all(Array.from({ length: 8 }, () => plan("*")))).map(
    ({ status }) => status,
  );
  expect(statuses.filter((status) => status === 200).length).toBeLessThan(8);
  expect([...new Set(statuses)].toSorted((a, b) => a - b)).toEqual([200, 429]);
  expect((await plan("*")).status).toBe(200);
}, 60_000);

describe("where the cluster may be broken", () => {
  let open: Awaited<ReturnType<typeof dashboardWorld>>;
  beforeAll(async () => {
    open = await dashboardWorld({ allowsActions: true });
  });
  afterAll(() => open.stop());

  test.each([
    [{ verb: "loseNode", node: "__proto__" }, "there is no node __proto__; there are node-0"],
    [{ verb: "recoverNode", node: "nowhere" }, "there is no node nowhere; there are node-0"],
    [{ verb: "start", name: "../../etc/passwd" }, "there is no sample ../../etc/passwd"],
  ])("%j is the user's mistake", async (given, message) => {
    const { hostname, port } = new URL(open.origin);
    const answer = await fetch(`http://${hostname}:${port}/api/break`, {
      method: "POST",
      headers: authorized,
      body: JSON.stringify(given),
    });
    expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining(message)]);
  });
});

test("too long a request is refused", async () => {
  const body = JSON.stringify({ verb: "x".repeat(100_000) });
  const answer = await ask({ path: "/api/plan", method: "POST", headers: authorized, body });
  expect(answer.status).toBe(413);
  expect(answer.text).toContain("too long");
});
