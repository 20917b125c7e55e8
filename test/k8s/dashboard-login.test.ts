/** Signing in on a real API server: everybody sees and does what their own token may, whoever runs the dashboard. */
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import type { RunningDashboard } from "../../src/cli/run-dashboard.ts";
import { startDashboard } from "../../src/cli/run-dashboard.ts";
import { accessWithToken, clusterAccess } from "../../src/kube/access.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { statefulSetOf } from "../builders/stateful-set-scenario.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

let cluster: RealCluster;
let dashboard: RunningDashboard;
let stopLockstep: () => Promise<void>;
/** A minute of the dashboard is a second. */
const clock = systemClock(60);
const rollout = "statefulset/default/web";

beforeAll(async () => {
  cluster = await startRealCluster();
  stopLockstep = await cluster.startLockstep("full");
  await cluster.client.create(statefulSetResource, statefulSetOf({ replicas: 2 }));
  // It is run by an administrator: nothing of that may reach those who sign in.
  const access = clusterAccess(loadKubeconfig([cluster.plane.kubeconfig], true));
  dashboard = await startDashboard({
    io: { clock },
    host: "127.0.0.1",
    port: 0,
    namespace,
    allowsActions: true,
    entry: {
      withToken: (token) => {
        const transport = httpTransport(accessWithToken(access, token));
        return { client: restClient(transport), close: () => transport.close() };
      },
    },
  });
});

afterAll(async () => {
  await dashboard.stop();
  await stopLockstep();
  await cluster.stop();
});

const soon = { timeout: 30_000 };
const origin = (): string => new URL(dashboard.url).origin;

async function ask(path: string, headers: Record<string, string>, body?: object) {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const answer = await fetch(`${origin()}/api/${path}`, { headers, ...sent });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const as = (token: string) => ({ authorization: `Bearer ${token}` });

/** A service account with these verbs on what a rollout of a StatefulSet is made of, and its token. */
async function userWith(name: string, verbs: string): Promise<string> {
  const { output } = cluster.kubectl;
  await output(["create", "serviceaccount", name]);
  if (verbs !== "") {
    const resources = "statefulsets.apps,controllerrevisions.apps,pods,events";
    await output(["create", "role", name, `--verb=${verbs}`, `--resource=${resources}`]);
    const account = `--serviceaccount=${namespace}:${name}`;
    await output(["create", "rolebinding", name, `--role=${name}`, account]);
  }
  return (await output(["create", "token", name])).trim();
}

/** What the stream of a page says, until it has said enough or ends. */
function streamOf(token: string) {
  const said = { text: "", isOver: false };
  const { hostname, port } = new URL(dashboard.url);
  const asked = request({ hostname, port, path: "/api/stream", headers: as(token) }, (answer) => {
    answer.on("data", (chunk: Buffer) => (said.text += chunk.toString()));
    answer.on("close", () => (said.isOver = true));
  });
  asked.on("error", () => (said.isOver = true));
  asked.end();
  return { said, close: () => asked.destroy() };
}

test("the address has no token, and nothing opens without one of the cluster", async () => {
  expect(dashboard.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  const refusal = { status: 401, body: { login: true } };
  for (const headers of [{}, as(""), as("guessed"), as("a.b.c"), { cookie: "token=guessed" }]) {
    for (const path of ["features", `rollout?rollout=${rollout}`, "stream"]) {
      expect(await ask(path, headers as Record<string, string>)).toMatchObject(refusal);
    }
    const restart = { rollout, verb: "restart" };
    expect(await ask("act", headers as Record<string, string>, restart)).toMatchObject(refusal);
  }
});

test("who may look sees, and may not act", async () => {
  const viewer = as(await userWith("viewer", "get,list,watch"));
  expect((await ask("features", viewer)).body).toMatchObject({
    user: "system:serviceaccount:default:viewer",
  });
  const page = await until("the set is seen", async () => {
    const answer = await ask(`rollout?rollout=${rollout}`, viewer);
    return answer.status === 200 && answer.body["state"] === "Healthy" && answer.body;
  });
  expect(page).toMatchObject({
    denial: "you may not patch statefulsets.apps in namespace default",
  });
  const refused = await ask("act", viewer, { rollout, verb: "restart" });
  expect(refused).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining("system:serviceaccount:default:viewer") },
  });
  const other = { ...viewer, origin: "https://evil.example" };
  expect((await ask("act", other, { rollout, verb: "restart" })).status).toBe(403);
});

test("who may act acts, with the same dashboard", async () => {
  const editor = as(await userWith("editor", "get,list,watch,patch"));
  await until("the set is seen", async () => {
    return (await ask(`rollout?rollout=${rollout}`, editor)).status === 200;
  });
  expect((await ask(`rollout?rollout=${rollout}`, editor)).body).not.toHaveProperty("denial");
  expect((await ask("act", editor, { rollout, verb: "restart" })).body).toMatchObject({
    message: expect.stringContaining("restarted"),
  });
});

test("who may not look reads what is not shown", async () => {
  const token = await userWith("nobody", "");
  const { said, close } = streamOf(token);
  const sentence = "you may not list statefulsets.apps in namespace default";
  await until("the stream says it", async () => said.text.includes(sentence));
  expect(said.text).not.toContain('"web"');
  expect((await ask(`rollout?rollout=${rollout}`, as(token))).status).toBe(404);
  close();
});

test("a page whose token is revoked ends within a minute, and stays shut", async () => {
  const token = await userWith("leaver", "get,list,watch");
  const { said } = streamOf(token);
  await until("the list is there", async () => said.text.includes('"web"'));
  await cluster.kubectl.output(["delete", "serviceaccount", "leaver"]);
  // The API server itself remembers a token for some seconds.
  await until("the stream ends", async () => said.isOver);
  await expect.poll(async () => (await ask("features", as(token))).status, soon).toBe(401);
});
