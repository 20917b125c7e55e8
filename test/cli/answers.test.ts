/** Wrong words, missing kinds, data formats, completion: what the command line answers besides texts about rollouts. */
import { beforeAll, describe, expect, test } from "vitest";
import { statefulSetResource } from "../../src/api/apps.ts";
import { commandNames } from "../../src/cli/program.ts";
import { cliOf } from "../builders/cli.ts";
import type { StatefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { rolling, statefulSetOf, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

describe("on a cluster with one StatefulSet", () => {
  let world: StatefulSetScenario;
  beforeAll(async () => {
    world = await statefulSetScenario({ replicas: 3, spec: rolling(1) });
    await world.settled();
  });
  const ask = (line: string, options = {}) => cliOf(world).lockstep(line, options);

  const refusals: Record<string, { line: string; want: RegExp; code?: number }> = {
    "a mistyped name": {
      line: "status sts/wbe",
      want: /^! error: there is no statefulset "wbe" in namespace default; did you mean web\?$/,
    },
    "a name of another namespace": {
      line: "status sts/web -n kube-system",
      want: /there is one in namespace default: add -n default$/,
    },
    "a name of nothing in a namespace without any": {
      line: "status sts/other -n kube-system",
      want: /in namespace kube-system; that namespace has none; `lockstep list -A` shows those of all namespaces$/,
    },
    "an operator of one namespace, which --namespaces asks for": {
      line: "operator --namespace team-a",
      want: /unknown option '--namespace'/,
      code: 2,
    },
    "a mistyped kind": {
      line: "why statefulsett/web",
      want: /^! error: Lockstep rolls out no kind "statefulsett"; did you mean statefulset\?$/,
    },
    "a pod, which is a part of a rollout": {
      line: "status pod/web-1",
      want: /a pod is no rollout, .*; ask about a pod with `lockstep why pod\/NAME`$/,
    },
    "a kind that nobody knows": {
      line: "history deployment/web",
      want: /kinds are podcliqueset \(pcs\), .*statefulset \(sts\)/,
    },
    "a kind that the cluster does not serve": {
      line: "status pcs/chat",
      want: /the cluster does not serve podcliquesets\.grove\.io; install it: lockstep crds \| kubectl apply -f -$/,
    },
    "a kind without a name": {
      line: "status sts",
      want: /^! error: statefulset needs a name; there are web: write statefulset\/web$/,
    },
    "a name without a kind": {
      line: "undo web",
      want: /^! error: "web" names no rollout; did you mean statefulset\/web\?$/,
    },
    "an image for a name without a kind": {
      line: "set image web app=web:v2",
      want: /"web" names no rollout; did you mean statefulset\/web\?$/,
    },
    "a mistyped name without a kind": {
      line: "watch wbe",
      want: /"wbe" names no rollout; did you mean statefulset\/web\?$/,
    },
    "a pod without its kind": {
      line: "why web-1",
      want: /"web-1" names no rollout; it is a pod: lockstep why pod\/web-1$/,
    },
    "neither a kind nor a name": {
      line: "status nothing",
      want: /"nothing" names no rollout; write KIND\/NAME, .*; `lockstep list` shows all$/,
    },
    "a mistyped command": {
      line: "statsu sts/web",
      want: /unknown command 'statsu'\n.*Did you mean status\?/s,
      code: 2,
    },
    "a container that is not there": {
      line: "set image sts/web nope=web:v2",
      want: /has no container nope; its containers are app$/,
    },
    "a mistyped container": {
      line: "set image sts/web ap=web:v2",
      want: /has no container ap; did you mean app\?$/,
    },
    "an image without a container": {
      line: "set image sts/web web:v2",
      want: /"web:v2" names no image; write CONTAINER=IMAGE/,
    },
    "a revision that is not there": {
      line: "undo sts/web --to-revision 9",
      want: /statefulset\/web has no revision 9; recorded are 1: see `lockstep history statefulset\/web`$/,
    },
    "two rollouts at once": {
      line: "pause sts/web sts/db",
      want: /"sts\/db" is one name too many; one command steers one rollout$/,
    },
    "a duration that is none": {
      line: "status sts/web --timeout soon",
      want: /Want a duration such as 90s, 5m or 1h/,
      code: 2,
    },
    "an address that this machine does not have": {
      line: "dashboard --address 203.0.113.1",
      want: /cannot serve the page at 203\.0\.113\.1:0: .*; choose an address of this machine with --address$/,
    },
    "a pod that is not there": {
      line: "why pod/web-9",
      want: /there is no pod "web-9" in namespace default; did you mean web-0\?$/,
    },
  };

  test.each(Object.entries(refusals))("%s", async (_name, { line, want, code = 1 }) => {
    const answer = await ask(line);
    expect(answer.text).toMatch(want);
    expect(answer.code).toBe(code);
  });

  test("in another namespace, what is to be typed names it", async () => {
    const { client } = world;
    const key = { name: "other", namespace: "kube-system" };
    const set = statefulSetOf({ name: key.name, replicas: 1 });
    await client.create(statefulSetResource, { ...set, metadata: key });
    await world.clock.runFor(10_000);
    const lines = {
      "pause sts/other": "to take it back: lockstep resume statefulset/other -n kube-system",
      "undo sts/other --to-revision 9": "see `lockstep history statefulset/other -n kube-system`",
      "diff sts/other 9": "see `lockstep history statefulset/other -n kube-system`",
      "why other-0": "it is a pod: lockstep why pod/other-0 -n kube-system",
    };
    for (const [line, want] of Object.entries(lines)) {
      expect((await ask(`${line} -n kube-system`)).text).toContain(want);
    }
    await client.delete(statefulSetResource, key);
  });

  test("what is to be typed reaches the cluster that was named", async () => {
    expect((await ask("pause sts/web --context prod")).text).toMatch(
      /to take it back: lockstep resume statefulset\/web --context prod$/,
    );
    await ask("resume sts/web");
  });

  test("data is the same view, as JSON, as YAML and as names", async () => {
    const { text } = await ask("status sts/web -o json");
    expect(JSON.parse(text)).toMatchObject({
      apiVersion: "lockstep.dev/rollout/v1",
      object: { kind: "StatefulSet", namespace: "default", name: "web" },
      state: "Healthy",
      counts: { unit: "pod", desired: 3, available: 3, updated: 3 },
      budget: { unavailable: { used: 0, allowed: 1 }, surge: { used: 0, allowed: 0 } },
      progress: { done: 3, total: 3 },
    });
    expect((await ask("status sts/web -o yaml")).text).toContain("state: Healthy\n");
    expect((await ask("status sts/web -o name")).text).toBe("statefulset.apps/web");
    expect((await ask("list -o name")).text).toBe("statefulset.apps/web");
    const why = JSON.parse((await ask("why sts/web -o json")).text) as { rule: object };
    expect(why.rule).toMatchObject({ number: "RO7" });
    const steer = JSON.parse((await ask("pause sts/web --dry-run -o json")).text) as object;
    expect(steer).toMatchObject({ dryRun: true, changed: false, did: "paused" });
  });

  test("more of it in lines that are wide", async () => {
    expect((await ask("status sts/web -o wide")).text).toMatch(
      /\n {2}RollingUpdate, OrderedReady; revision #1 web-\w+; \d+s old$/,
    );
    expect((await ask("history sts/web -o wide")).text).toMatch(
      /^REVISION +NAME +CREATED +PODS +ROLE +CAUSE +CHANGES\n1 +web-\w+ +\d{4}-\d\d-\d\dT[\d:]+Z +3 +current/,
    );
  });

  test("--watch prints data too: one view per change, the last at rest", async () => {
    const { code, text } = await ask("status sts/web --watch -o json");
    expect(code).toBe(0);
    const views = text.split("\n").map((line) => JSON.parse(line) as { state: string });
    expect(views.at(-1)).toMatchObject({ apiVersion: "lockstep.dev/rollout/v1", state: "Healthy" });
    expect((await ask("status sts/web --watch -o yaml")).text).toMatch(
      /^---\napiVersion: lockstep\.dev\/rollout\/v1\n/,
    );
    expect((await ask("status sts/web --watch -o name")).text).toBe("statefulset.apps/web");
  });

  const colourless = [{ NO_COLOR: "1" }, {}] as const;
  test.each(colourless)("no colours where they are not wanted: %j", async (environment) => {
    const flag = "NO_COLOR" in environment ? "" : " --no-color";
    const { text } = await ask(`status sts/web${flag}`, { isTerminal: true, environment });
    expect(text).toMatch(/^statefulset\/web: Healthy/);
  });

  test("delete tries itself without deleting", async () => {
    const { text, code } = await ask("delete sts web --dry-run server");
    expect({ text, code }).toEqual({
      text: 'statefulset.apps "web" deleted (server dry run)',
      code: 0,
    });
    expect((await ask("status sts/web")).code).toBe(0);
  });

  const completions: Record<string, { words: string; want: readonly string[] }> = {
    "commands by their beginning": { words: "st", want: ["status"] },
    "rollouts and kinds": { words: "status s", want: ["statefulset/web", "statefulset/"] },
    "names under the word that was typed": { words: "pause sts/", want: ["sts/web"] },
    "names after a kind": { words: "pause sts w", want: ["web"] },
    "pods, where they can be asked about": {
      words: "why pod/web-",
      want: ["pod/web-0", "pod/web-1", "pod/web-2"],
    },
    flags: { words: "undo sts/web --to", want: ["--to-revision"] },
    shells: { words: "completion z", want: ["zsh"] },
    "what follows set": { words: "set im", want: ["image"] },
    formats: { words: "status sts/web -o j", want: ["json"] },
    namespaces: { words: "status sts/web -n kube-s", want: ["kube-system"] },
    "names behind a flag with a value": { words: "status -n default sts w", want: ["web"] },
    "revisions to go back to": { words: "undo sts/web --to-revision ", want: ["1"] },
    "revisions to compare": { words: "diff sts/web ", want: ["1"] },
    "containers, before their image": { words: "set image sts/web ", want: ["app="] },
    "what a change can be planned of": { words: "plan sts/", want: ["sts/web"] },
    "kinds of objects": { words: "get statef", want: ["statefulsets"] },
    "names of objects": { words: "describe po web-", want: ["web-0", "web-1", "web-2"] },
    "nothing where nothing is known": { words: "status nope/", want: [] },
  };
  test.each(Object.entries(completions))("completes %s", async (_name, { words, want }) => {
    const { text, code } = await ask(`__complete -- ${words.replace(/ $/, " ''")}`);
    expect({ code, words: text === "" ? [] : text.split("\n") }).toEqual({ code: 0, words: want });
  });

  test("nothing is completed that a shell would obey: bash runs what it completes", async () => {
    const clusterRoles = {
      group: "rbac.authorization.k8s.io",
      version: "v1",
      plural: "clusterroles",
      kind: "ClusterRole",
      namespaced: false,
    };
    for (const name of ["x$(id)", "x`id`", "x;id", "x y", "x'", "x-plain:1"]) {
      await world.client.create(clusterRoles, { metadata: { name } });
    }
    expect((await ask("__complete -- describe clusterroles x")).text).toBe("x-plain:1");
  });

  test("a completion ends when it is answered, not when others would give up waiting", async () => {
    const before = world.clock.pendingTimers;
    await ask("__complete -- status sts/");
    expect(world.clock.pendingTimers).toBe(before);
  });

  test("status --watch gives up after its timeout, and says so", async () => {
    await world.setImage("web:never-ready");
    const { code, text } = await ask("status sts/web --watch --timeout 20s");
    expect(code).toBe(3);
    expect(text).toMatch(/! statefulset\/web: still moving after 20s$/);
  });
});

test.each(["bash", "zsh", "fish"])("the script for %s asks for completions", async (shell) => {
  const world = await statefulSetScenario({ withoutSet: true });
  const { text } = await cliOf(world).lockstep(`completion ${shell}`);
  expect(text).toContain("lockstep __complete -- ");
});

test("help groups the commands and has examples", async () => {
  const world = await statefulSetScenario({ withoutSet: true });
  const { lockstep } = cliOf(world);
  const { text, code } = await lockstep("--help");
  expect(code).toBe(0);
  expect(text).toMatch(/See:\n +list .*Steer:\n +pause.*Examples:\n/s);
  const without: string[] = [];
  const tooWide = text.split("\n").filter((line) => line.length > 80);
  for (const verb of [...commandNames(), "set image"]) {
    const help = (await lockstep(`${verb} --help`)).text;
    if (help.match(/Examples:\n/g)?.length !== 1) without.push(verb);
    tooWide.push(...help.split("\n").filter((line) => line.length > 80));
  }
  expect(without).toEqual([]);
  expect(tooWide).toEqual([]);
});
