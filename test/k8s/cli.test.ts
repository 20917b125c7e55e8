/** The command line on a real API server: the same texts, and what only a real one refuses. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { statefulSetResource } from "../../src/api/apps.ts";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { nodeResource } from "../../src/api/node.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { Io } from "../../src/cli/io.ts";
import { run } from "../../src/cli/run.ts";
import type { ControlledKind } from "../../src/controllers/engine/controlled-kind.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { startDashboard } from "../../src/cli/run-dashboard.ts";
import { clusterAccess } from "../../src/kube/access.ts";
import { httpTransport } from "../../src/kube/http-transport.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { isSettled, podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";
import { rolling, statefulSetOf } from "../builders/stateful-set-scenario.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";
import { atLeastOne } from "../builders/must.ts";

let cluster: RealCluster;
let controllers: readonly ControlledKind[] = [];

beforeAll(async () => {
  cluster = await startRealCluster();
});

afterAll(async () => {
  for (const controller of controllers) await controller.stop();
  await cluster.stop();
});

async function lockstep(line: string, kubeconfig = cluster.plane.kubeconfig) {
  const printed: string[] = [];
  const io: Io = {
    print: (text) => void printed.push(text),
    warn: (text) => void printed.push(`! ${text}`),
    isTerminal: false,
    environment: { KUBECONFIG: kubeconfig },
    workingDirectory: cluster.plane.folder,
    readStandardInput: () => "",
    stopping: new AbortController().signal,
    clock: systemClock(),
  };
  const code = await run(line.split(" "), io);
  return { code, text: printed.join("\n") };
}

/** Ages, times and nodes are this run's own. */
const stable = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME")
    .replaceAll(/\b(\d+[dhms])+\b/g, "AGE")
    .replaceAll(/ +(?=AGE)|(?<=AGE) +/g, " ");

async function transcript(lines: readonly string[]): Promise<string> {
  const parts: string[] = [];
  for (const line of lines) {
    const { code, text } = await lockstep(line);
    parts.push(`$ lockstep ${line}\n${stable(text)}${code === 0 ? "" : `\n[exit code ${code}]`}`);
  }
  return `${parts.join("\n\n")}\n`;
}

/** A user without any permission, by impersonation. */
function kubeconfigOf(user: string): string {
  const config = parse(readFileSync(cluster.plane.kubeconfig, "utf8")) as {
    users: { user: Record<string, unknown> }[];
  };
  const users = config.users.map((each) => ({ ...each, user: { ...each.user, as: user } }));
  const file = join(cluster.plane.folder, `kubeconfig-${user}`);
  writeFileSync(file, stringify({ ...config, users }));
  return file;
}

test("a kind that is not installed says how to install it", async () => {
  const { code, text } = await lockstep("status podcliqueset/chat");
  expect(code).toBe(1);
  expect(text).toBe(
    "! error: the cluster does not serve podcliquesets.grove.io; " +
      "install it: lockstep crds | kubectl apply -f -",
  );
  await installDefinitions(cluster.client);
  controllers = await startKinds(chooseKinds("all"), {
    client: await cluster.operatorClient(),
    clock: systemClock(),
    modes: { statefulset: "full" },
    onProblem: () => undefined,
  });
});

test("a StatefulSet is seen and steered as on the embedded server", async () => {
  const spec = { podManagementPolicy: "Parallel", ...rolling(2) } as const;
  await cluster.client.create(statefulSetResource, statefulSetOf({ replicas: 4, spec }));
  expect((await lockstep("status sts/web --watch --timeout 60s")).code).toBe(0);
  const healthy = await transcript(["list", "status sts/web", "why sts/web", "history sts/web"]);
  await expect(healthy).toMatchFileSnapshot("cli-healthy.txt");
  const paused = await transcript([
    "pause sts/web",
    "set image sts/web app=web:v2 --dry-run",
    "set image sts/web app=web:v2",
  ]);
  await until("the pause is reported", async () =>
    (await lockstep("status sts/web")).text.includes("Paused"),
  );
  const reported = await transcript([
    "status sts/web",
    "why sts/web",
    "diff sts/web",
    "resume sts/web",
  ]);
  await expect(`${paused}\n${reported}`).toMatchFileSnapshot("cli-paused.txt");
  expect((await lockstep("status sts/web --watch --timeout 60s")).code).toBe(0);
  const undone = await transcript(["undo sts/web --dry-run", "undo sts/web"]);
  await expect(undone).toMatchFileSnapshot("cli-undo.txt");
  expect((await lockstep("status sts/web --watch --timeout 60s")).code).toBe(0);
  const images = (await cluster.pods("web")).map(({ spec: pod }) => pod.containers[0]?.image);
  expect(new Set(images)).toEqual(new Set(["web:v1"]));
  await cluster.client.delete(statefulSetResource, { namespace, name: "web" });
});

test("a pod that fits nowhere is named with the words of the real scheduler", async () => {
  const nodes = (await cluster.client.list(nodeResource)).items;
  const cordon = async (unschedulable: boolean): Promise<void> => {
    for (const { metadata } of nodes) {
      const patch = { type: "merge", body: { spec: { unschedulable } } } as const;
      await cluster.client.patch(nodeResource, { name: metadata.name ?? "" }, patch);
    }
  };
  await cordon(true);
  await cluster.client.create(statefulSetResource, statefulSetOf({ name: "full", replicas: 1 }));
  await until("the scheduler has said why", async () =>
    /not scheduled: 0\/2 nodes are available/.test((await lockstep("why sts/full")).text),
  );
  const { text } = await lockstep("why pod/full-0");
  expect(text).toMatch(/waits for +full-0 \(starting.*\): not scheduled: 0\/2 nodes/);
  expect(text).toMatch(/freed by +a node with room for it/);
  await cordon(false);
  expect((await lockstep("status sts/full --watch --timeout 60s")).code).toBe(0);
});

test("a PodCliqueSet is changed and undone by patches that the real server takes", async () => {
  const key = { namespace, name: "chat" };
  const get = () => cluster.client.get<PodCliqueSet>(podCliqueSetResource, key);
  const set = podCliqueSetOf({ replicas: 1, strategy: { partition: 1 }, cliques: { front: {} } });
  await cluster.client.create(podCliqueSetResource, set);
  await until("it is created", async () => isSettled(await get()));
  const before = (await get()).spec.template.cliques;
  const lines = ["set image pcs/chat front/app=front:v2", "promote pcs/chat", "restart pcs/chat"];
  for (const line of atLeastOne(lines)) expect((await lockstep(line)).code).toBe(0);
  expect((await lockstep("status pcs/chat --watch --timeout 60s")).code).toBe(0);
  expect((await get()).spec.updateStrategy?.partition).toBe(0);
  expect((await lockstep("undo pcs/chat --to-revision 1")).code).toBe(0);
  expect((await get()).spec.template.cliques).toEqual(before);
  expect((await lockstep("pause pcs/chat")).code).toBe(0);
  expect((await lockstep("promote pcs/chat")).text).toContain("promoted past its pause");
  expect((await lockstep("status pcs/chat --watch --timeout 60s")).code).toBe(0);
});

test("a missing permission is named, with the commands that grant it, which work", async () => {
  const jane = kubeconfigOf("jane");
  const refused = await lockstep("status sts/full", jane);
  expect(refused.code).toBe(1);
  expect(refused.text).toMatch(
    /^! error: you may not get statefulsets\.apps in namespace default; an administrator can allow it: kubectl /,
  );
  const allow = async (text: string): Promise<void> => {
    const [, role = "", binding = ""] =
      /kubectl (create role .*) && kubectl (create .*)$/.exec(text) ?? [];
    for (const line of [role, binding]) await cluster.kubectl.output(line.split(" "));
  };
  await allow(refused.text);
  const shown = await lockstep("status sts/full", jane);
  expect(shown.code).toBe(0);
  expect(shown.text).toMatch(/note: you may not list pods in namespace default: ask for the verbs/);
  // What is not seen is not missing.
  expect(shown.text).toContain("1/1 pods available, 1/1 updated; unavailable 0/1 surge 0/0");
  const write = await lockstep("restart sts/full", jane);
  expect(write.text).toMatch(/you may not patch statefulsets\.apps in namespace default/);
  const joe = kubeconfigOf("joe@example.com");
  for (const line of ["status sts/full", "pause sts/full --dry-run"]) {
    await allow((await lockstep(line, joe)).text);
  }
  expect((await lockstep("pause sts/full --dry-run", joe)).code).toBe(0);
});

/** As `lockstep dashboard --allow-actions` would start it with this kubeconfig. */
async function dashboardOf(kubeconfig: string) {
  const transport = httpTransport(clusterAccess(loadKubeconfig([kubeconfig], true)), {
    userAgent: "lockstep-test",
  });
  const dashboard = await startDashboard({
    io: { clock: systemClock() },
    host: "127.0.0.1",
    port: 0,
    namespace,
    allowsActions: true,
    entry: { client: restClient(transport), token: "token" },
  });
  const origin = new URL(dashboard.url).origin;
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: "Bearer token" };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${origin}/api/${path}`, { headers, ...sent });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const stop = async (): Promise<void> => {
    await dashboard.stop();
    transport.close();
  };
  return { ask, stop };
}

test("the page offers only what the user's own credentials may do", async () => {
  const rollout = "statefulset/default/full";
  const restart = { rollout, verb: "restart" };
  const seen = async (page: Awaited<ReturnType<typeof dashboardOf>>) => {
    await until("the page sees the set", async () => {
      return (await page.ask(`rollout?rollout=${rollout}`)).status === 200;
    });
    return (await page.ask(`rollout?rollout=${rollout}`)).body;
  };
  const hers = await dashboardOf(kubeconfigOf("jane"));
  expect(await seen(hers)).toMatchObject({
    state: "Healthy",
    denial: "you may not patch statefulsets.apps in namespace default",
  });
  expect(await hers.ask("act", restart)).toMatchObject({ status: 403 });
  await hers.stop();
  const ours = await dashboardOf(cluster.plane.kubeconfig);
  expect(await seen(ours)).not.toHaveProperty("denial");
  expect((await ours.ask("act", restart)).body).toMatchObject({
    message: expect.stringContaining("restarted"),
  });
  await ours.stop();
});
