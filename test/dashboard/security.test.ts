/** Who gets what from the dashboard: nothing without the token, nothing for other sites, nothing beside its pages. */
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
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

test("too long a request is refused", async () => {
  const body = JSON.stringify({ verb: "x".repeat(100_000) });
  const answer = await ask({ path: "/api/plan", method: "POST", headers: authorized, body });
  expect(answer.status).toBe(413);
  expect(answer.text).toContain("too long");
});
