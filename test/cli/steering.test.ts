/** Commands that write: what they change, what they say, and that what they say takes it back. */
import { expect, test } from "vitest";
import { annotationKeys } from "../../src/api/rbg/labels.ts";
import type { EventObject } from "../../src/rollouts/events.ts";
import type { Client } from "../../src/runtime/client.ts";
import { eventResource } from "../../src/runtime/event-recorder.ts";
import { cliOf } from "../builders/cli.ts";
import { podCliqueSetScenario } from "../builders/pod-clique-set-scenario.ts";
import { placementScenario } from "../builders/placement-scenario.ts";
import { groupScenario } from "../builders/role-based-group-scenario.ts";
import { rolling, statefulSetScenario } from "../builders/stateful-set-scenario.ts";

const eventsOf = async ({ client }: { readonly client: Client }): Promise<readonly EventObject[]> =>
  (await client.list<EventObject>(eventResource, { namespace: "default" })).items;

/** The command after `to take it back:`. */
const takeBack = (text: string): string =>
  /to take it back: lockstep (.*)$/m.exec(text)?.[1] ?? "nothing takes it back";

test("a StatefulSet is paused, resumed, undone and restarted, and every command names its way back", async () => {
  const world = await statefulSetScenario({ replicas: 3, spec: rolling(1) });
  const { lockstep } = cliOf(world);
  await world.settled();
  const set = await lockstep("set image sts/web app=web:v2");
  expect(set.text).toBe(
    "statefulset/web image updated: app web:v1 -> web:v2\n" +
      "  to take it back: lockstep undo statefulset/web --to-revision 1",
  );
  await world.clock.runFor(2_000);
  const paused = await lockstep("pause sts/web");
  await world.clock.runFor(30_000);
  expect((await lockstep("status sts/web")).text).toContain("Paused");
  expect((await lockstep("pause sts/web")).text).toBe(
    "statefulset/web is paused already: nothing was changed",
  );
  expect((await lockstep(takeBack(paused.text))).text).toContain("statefulset/web resumed");
  expect((await lockstep("status sts/web --watch")).code).toBe(0);
  expect((await lockstep(takeBack(set.text))).text).toContain("rolled back to revision 1");
  expect((await lockstep("status sts/web --watch --timeout 10m")).code).toBe(0);
  expect((await world.pods()).map(({ spec }) => spec.containers[0]?.image)).toEqual([
    "web:v1",
    "web:v1",
    "web:v1",
  ]);
  const before = (await world.pods()).map(({ metadata }) => metadata.uid);
  await lockstep("restart sts/web");
  expect((await lockstep("status sts/web --watch")).code).toBe(0);
  const after = (await world.pods()).map(({ metadata }) => metadata.uid);
  expect(after.filter((uid) => before.includes(uid))).toEqual([]);
});

test("RO13 promote lowers a partition one by one, then all at once", async () => {
  const world = await statefulSetScenario({ replicas: 4, spec: rolling(1, 3) });
  const { lockstep } = cliOf(world);
  await world.settled();
  await lockstep("set image sts/web app=web:v2");
  const updated = async (): Promise<number> => {
    await world.clock.runFor(60_000);
    return (await world.set()).status?.updatedReplicas ?? 0;
  };
  expect(await updated()).toBe(1);
  expect((await lockstep("promote sts/web")).text).toContain("the partition is 2 now, it was 3");
  expect(await updated()).toBe(2);
  await lockstep("promote sts/web --full");
  expect(await updated()).toBe(4);
  expect((await lockstep("promote sts/web")).text).toContain("nothing was changed");
});

test("RO13 promote of a PodCliqueSet lowers the partition of its replicas first, then those inside", async () => {
  const world = await podCliqueSetScenario({
    replicas: 2,
    strategy: { partition: 1 },
    cliques: { front: { replicas: 2, updateStrategy: { partition: 1 } } },
  });
  const { lockstep } = cliOf(world);
  await world.settled();
  const first = await lockstep("promote pcs/chat");
  expect(first.text).toContain("promoted: the partition is 0 now, it was 1\n");
  const second = await lockstep("promote pcs/chat");
  expect(second.text).toContain("promoted: the partition of front is 0 now, it was 1\n");
  expect(second.text).toContain("kubectl patch podcliqueset chat --type=json -p '[{");
});

test("a PodCliqueSet goes back to the labels, annotations and pods of a revision", async () => {
  const world = await podCliqueSetScenario({ replicas: 1, cliques: { front: {}, back: {} } });
  const { lockstep } = cliOf(world);
  await world.settled();
  const original = (await world.set()).spec.template.cliques;
  await lockstep("restart pcs/chat");
  await world.clock.runFor(60_000);
  const changed = (await world.set()).spec.template.cliques;
  expect(changed[0]?.annotations).toHaveProperty(["kubectl.kubernetes.io/restartedAt"]);
  await lockstep("undo pcs/chat");
  expect((await world.set()).spec.template.cliques).toEqual(original);
  expect((await lockstep("status pcs/chat --watch")).code).toBe(0);
});

test("CO9 promote passes the pause of one step, or with --full of all of them", async () => {
  const steps = ["25%", "50%", "75%"].map((share) => ({ roles: { prefill: share }, pause: {} }));
  const world = await groupScenario({ strategy: { maxUnavailableRatio: "50%", steps } });
  const { lockstep } = cliOf(world);
  await world.settled();
  await world.setImage("web:v2");
  await world.clock.runFor(60_000);
  expect(world.counts("web:v2")).toBe("decode 0/2 prefill 1/4");
  const promoted = await lockstep("promote rbg/chat");
  expect(promoted.text).toMatch(/promoted past the pause of its step \(pair:\w+:1\)\n/);
  expect(promoted.text).toContain("to take it back: kubectl annotate rolebasedgroup chat");
  await world.clock.runFor(60_000);
  expect(world.counts("web:v2")).toBe("decode 0/2 prefill 2/4");
  const all = await lockstep("promote rbg/chat --full");
  expect(all.text).toMatch(/promoted past the pause of all its steps \(pair:\w+:3\)\n/);
  expect((await lockstep("status rbg/chat --watch --timeout 10m")).code).toBe(0);
  expect(world.counts("web:v2")).toBe("decode 2/2 prefill 4/4");
  expect((await lockstep("undo rbg/chat")).text).toContain("rolled back to revision 1");
});

test("what the cluster says is quoted in a command that is to be typed", async () => {
  const steps = [{ roles: { prefill: "25%" }, pause: {} }];
  const world = await groupScenario({ strategy: { maxUnavailableRatio: "50%", steps } });
  const { lockstep } = cliOf(world);
  await world.settled();
  const annotations = { [annotationKeys.promote]: "x;touch x;$(id)" };
  await world.annotate(annotations);
  await world.setImage("web:v2");
  await world.clock.runFor(60_000);
  expect((await lockstep("promote rbg/chat")).text).toContain(
    `annotate rolebasedgroup chat --overwrite '${annotationKeys.promote}=x;touch x;$(id)'`,
  );
});

test("a Placement is paused and resumed, and nothing else", async () => {
  const world = await placementScenario({ clusters: 3 });
  await world.settle();
  const { lockstep } = cliOf(world);
  const paused = await lockstep("pause placement/web");
  await world.addCluster("c00000");
  await world.settle();
  expect(await world.listed()).not.toContain("c00000");
  expect((await lockstep("status placement/web")).text).toContain("Paused");
  expect((await lockstep(takeBack(paused.text))).text).toContain("placement/web resumed");
  await world.settle();
  expect(await world.listed()).toContain("c00000");
  expect((await lockstep("restart placement/web")).code).toBe(1);
});

test("parts of a set are steered through the set", async () => {
  const world = await podCliqueSetScenario({ replicas: 1, cliques: { front: {} } });
  const { lockstep } = cliOf(world);
  await world.settled();
  const { code, text } = await lockstep("pause pclq/chat-0-front");
  expect(code).toBe(1);
  expect(text).toMatch(/is a part of podcliqueset\/chat.*lockstep pause podcliqueset\/chat$/);
});

test("a StatefulSet that is a role is steered through its group", async () => {
  const world = await groupScenario();
  const { lockstep } = cliOf(world);
  await world.settled();
  for (const [words, command] of [
    ["pause sts/chat-decode", "pause rolebasedgroup/chat"],
    ["undo sts/chat-decode --to-revision 1", "undo rolebasedgroup/chat"],
    ["restart sts/chat-decode", "restart rolebasedgroup/chat"],
    ["set image sts/chat-decode app=web:v2", "set image rolebasedgroup/chat ROLE/CONTAINER=IMAGE"],
  ] as const) {
    const { code, text } = await lockstep(words);
    expect(code).toBe(1);
    expect(text).toBe(
      "! error: statefulset/chat-decode is a role of rolebasedgroup/chat, whose roles are updated together; " +
        `steer the group: lockstep ${command}`,
    );
  }
  await world.setImage("web:broken");
  await world.clock.runFor(60_000);
  const { text } = await lockstep("why sts/chat-decode");
  expect(text).toContain("note       it is a role of rolebasedgroup/chat, which steers it");
  expect(text).toMatch(/type +lockstep undo rolebasedgroup\/chat {3}\(takes back what changed/);
});

test("a dry run changes nothing, and says so", async () => {
  const world = await statefulSetScenario({ replicas: 2 });
  const { lockstep } = cliOf(world);
  await world.settled();
  const before = await world.set();
  for (const line of ["pause", "restart", "set image"]) {
    const image = line === "set image" ? " app=web:v9" : "";
    const { text, code } = await lockstep(`${line} sts/web${image} --dry-run`);
    expect({ text, code }).toEqual({ text: expect.stringContaining("dry run"), code: 0 });
  }
  expect(await world.set()).toEqual(before);
});

test("RO12 a pause shows where nothing is held by it, and since when something is", async () => {
  const world = await podCliqueSetScenario({ cliques: { front: { replicas: 2 } } });
  const { lockstep } = cliOf(world);
  await world.settled();
  await world.clock.runFor(60_000);
  await lockstep("pause pcs/chat");
  await world.clock.runFor(5_000);
  expect((await lockstep("status pcs/chat")).text).toMatch(
    /Healthy .*note: it is paused: what is changed now waits for a resume/s,
  );
  await lockstep("set image pcs/chat front/app=front:v2");
  await world.clock.runFor(5_000);
  const { text } = await lockstep("why pcs/chat");
  expect(text).toMatch(/Paused for [45]s/);
  expect(text).toContain("; the target is revision 2 ");
  const started = (await eventsOf(world)).find(({ reason }) => reason === "UpdateStarted");
  expect(started?.message).toMatch(/; it is paused, and waits for a resume$/);
});

test("a watch into a pipe prints events from now on, with the times at which they happened", async () => {
  const world = await statefulSetScenario({ replicas: 3, spec: rolling(1) });
  const { lockstep, start } = cliOf(world);
  await world.settled();
  await world.clock.runFor(60_000);
  const watching = await start("watch sts/web --timeout 60s");
  await world.clock.runFor(1_000);
  await lockstep("set image sts/web app=web:v2");
  await world.clock.runFor(60_000);
  const events = (await watching.ended).text.split("\n").filter((line) => line.includes(" event "));
  expect(events.join("\n")).not.toContain("created pods web-0, web-1, web-2");
  const deleted = events.find((line) => line.includes("deleted pods web-1, web-0"));
  const seen = (await eventsOf(world)).find(
    ({ message }) => message === "deleted pods web-1, web-0",
  );
  expect(deleted?.split(" ")[0]).toBe(seen?.lastTimestamp);
});
