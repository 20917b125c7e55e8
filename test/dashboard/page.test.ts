/** The page in a real browser, while a real rollout goes on. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controllerRevisionResource, statefulSetResource } from "../../src/api/apps.ts";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { podResource } from "../../src/api/pod.ts";
import { eventResource } from "../../src/runtime/event-recorder.ts";
import { browserPath } from "../builders/browser.ts";
import { dashboardWorld, token } from "../builders/dashboard-world.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";

const executablePath = browserPath();
if (executablePath === undefined) {
  console.warn("NO BROWSER: the page of the dashboard is not tested. Install chromium to test it.");
}

/** Longer than a loaded machine takes. */
const soon = { timeout: 30_000 };

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

const changeCause = "kubernetes.io/change-cause";
const decisionResource = {
  group: "cluster.open-cluster-management.io",
  version: "v1beta1",
  plural: "placementdecisions",
  kind: "PlacementDecision",
  namespaced: true,
} as const;
const key = { namespace: "default", name: "chat" };
/** Its name would be markup if it were not shown as text. */
const hostile = "<img src=x onerror=document.title='owned'>";

describe.runIf(executablePath !== undefined)("in a browser", () => {
  let world: Awaited<ReturnType<typeof dashboardWorld>>;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];

  beforeAll(async () => {
    world = await dashboardWorld({ allowsActions: true });
    const front = {
      replicas: 4,
      annotations: { "sim.lockstep.dev/ready-seconds": "4", hostile },
      updateStrategy: { maxUnavailable: 1 },
    };
    await world.client.create(podCliqueSetResource, podCliqueSetOf({ cliques: { front } }));
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    page = await browser.newPage();
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(world.origin) && !request.url().startsWith("data:")) {
        errors.push(`asked ${request.url()}`);
      }
    });
    await page.goto(world.url);
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await world.stop();
  });

  const cells = (more = "") => page.locator(`#grid .cell${more}`);
  const textOf = (selector: string) => page.locator(selector).textContent();
  const act = async (name: string): Promise<void> => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.locator("#yes").click();
  };
  const open = (name: string) => page.locator("nav button", { hasText: name }).first().click();
  const start = (title: string) => page.locator("#sample-list button", { hasText: title }).click();
  const strategy = async () =>
    (await world.client.get<PodCliqueSet>(podCliqueSetResource, key)).spec.updateStrategy;

  async function barriers(of = page): Promise<readonly string[]> {
    const source = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
    await of.evaluate(readFileSync(source, "utf8"));
    const found = await of.evaluate<readonly Violation[]>(
      `axe.run().then((each) => each.violations)`,
    );
    return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  }

  /** `seen` says whether there ever was such an element. */
  const remember = (of: Page, selector: string): Promise<unknown> =>
    of.evaluate(`
      globalThis.seen = false;
      new MutationObserver(() => { seen ||= document.querySelector("${selector}") !== null; })
        .observe(document.body, { subtree: true, childList: true, attributes: true });`);

  test("before anything was started the samples stand in its place", async () => {
    const empty = await dashboardWorld({ allowsActions: true });
    const visitor = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await visitor.goto(empty.url);
    const sample = visitor.locator("#none #sample-list button", { hasText: "Ten replicas" });
    await sample.waitFor(soon);
    expect((await sample.boundingBox())?.y).toBeLessThan(844);
    expect(await barriers(visitor)).toEqual([]);
    await remember(visitor, ".tile.over");
    await sample.press("Enter");
    await visitor.locator("#state", { hasText: "Healthy" }).waitFor(soon);
    // Nothing is promised of what has never served yet.
    expect(await visitor.evaluate("seen")).toBe(false);
    expect(await visitor.locator("#layout > #samples").count()).toBe(1);
    await visitor.close();
    await empty.stop();
  }, 60_000);

  test("cells change while pods are replaced, and actions do what they say", async () => {
    await expect.poll(() => cells(".available").count(), soon).toBe(4);
    expect(await textOf("#state")).toContain("Healthy");
    expect(await page.locator("#container").inputValue()).toBe("front/app");
    await page.locator("#image").fill("front:v2");
    await act("Set it");
    await expect.poll(() => cells(".outdated").count(), soon).toBeGreaterThan(0);
    await act("Pause");
    await expect.poll(strategy, soon).toMatchObject({ paused: true });
    await expect.poll(() => textOf("#state"), soon).toContain("Paused");
    await act("Resume");
    await expect.poll(strategy, soon).not.toMatchObject({ paused: true });
    await expect.poll(() => textOf("#replaced-title"), soon).toMatch(/^[1-4] units? replaced/);
    expect(await textOf("#curve-text")).toContain("against the promised minimum");
    await act("Undo");
    await expect.poll(() => textOf("#said"), soon).toContain("to take it back");
    await expect.poll(() => textOf("#state"), { timeout: 60_000 }).toContain("Healthy");
  }, 120_000);

  test("revisions are compared field by field", async () => {
    // Going back to revision 1 made it the newest, number 3.
    await page.locator("#from").selectOption("3");
    await page.locator("#to").selectOption("2");
    await expect.poll(() => textOf("#differences"), soon).toMatch(/image- front:v1\+ front:v2/);
  });

  test("the past can be scrubbed through, and live comes back", async () => {
    const now = await cells().count();
    await page.locator("#scrub").fill("0");
    expect(await textOf("#moment")).toContain("at 20");
    await page.getByRole("button", { name: "Live", exact: true }).click();
    expect(await textOf("#moment")).toBe("now");
    expect(await cells().count()).toBe(now);
  });

  test("a change is planned before it is made", async () => {
    await page.locator("#image").fill("front:broken");
    await page.getByRole("button", { name: "Plan it" }).click();
    await expect.poll(() => textOf("#planned"), soon).toContain("will not finish");
    expect(await barriers()).toEqual([]);
  }, 60_000);

  test("one click pushes a broken image; the page names the pod and what to type", async () => {
    await page.getByRole("button", { name: "Push a broken image" }).click();
    // Where the state and the reason are.
    await expect.poll(() => page.evaluate<number>(`window.scrollY`), soon).toBe(0);
    await expect.poll(() => cells(".broken").count(), soon).toBe(1);
    await expect.poll(() => textOf("#why"), soon).toMatch(/waits forchat-0-front-\d broken/);
    // Its deadline is minutes away: it is not called stalled, and what to type stands first all the same.
    expect(await textOf("#state")).toContain("Progressing");
    expect(await page.locator("#why-panel + #numbers").count()).toBe(1);
    expect(await textOf("#why")).toMatch(/lockstep undo podcliqueset\/chat --to-revision \d/);
    expect(await barriers()).toEqual([]);
    await page.locator("body").press("u");
    expect(await textOf("#command")).toBe("lockstep undo podcliqueset/chat");
    expect(await barriers()).toEqual([]);
    await page.locator("#yes").click();
    await expect.poll(() => textOf("#state"), { timeout: 60_000 }).toContain("Healthy");
  }, 90_000);

  test("one click crashes a pod, cordons a node and loses it", async () => {
    const [pod] = (await world.client.list(podResource, { namespace: "default" })).items;
    await page.locator(`#grid .cell[data-pod="${pod?.metadata.name}"]`).click();
    await expect.poll(() => textOf("#said"), soon).toBe(`${pod?.metadata.name} crashed`);
    const node = page.locator("#nodes li").first();
    await node.getByRole("button", { name: "Cordon" }).click();
    await expect.poll(() => node.textContent(), soon).toContain("cordoned");
    await node.getByRole("button", { name: "Lose it" }).click();
    // Only the page knows at once: the cluster waits for a sign of it.
    await expect.poll(() => node.textContent(), soon).toContain("does not answer");
    await expect.poll(() => node.textContent(), soon).toContain("lost");
    await node.getByRole("button", { name: "Recover" }).click();
    await node.getByRole("button", { name: "Uncordon" }).click();
    await expect.poll(() => node.textContent(), soon).not.toContain("lost");
  }, 60_000);

  test("coordinated roles are charted with the skew that they may have", async () => {
    await start("Prefill and decode in step");
    // Who starts something wants to see it.
    await expect.poll(() => textOf("#name"), soon).toBe("coordinated");
    await expect.poll(() => cells(".available").count(), soon).toBe(30);
    await expect.poll(() => page.locator("#skew path.role").count(), soon).toBe(4);
    await expect
      .poll(() => textOf("#skew figcaption"), soon)
      .toMatch(
        /prefill 20\/20 .*decode 10\/10 .* 0 points apart; an update may take them 10 points and one unit/,
      );
  }, 60_000);

  test("an image is set for one container or for all, and what they run stands there to be changed", async () => {
    const choices = page.locator("#container option");
    expect(await choices.allTextContents()).toEqual([
      "prefill/prefill",
      "decode/decode",
      "every container",
    ]);
    const image = () => page.locator("#image").inputValue();
    expect(await image()).toBe("registry.example.com/engine:v1");
    await page.locator("#container").selectOption("decode/decode");
    await page.locator("#image").fill("registry.example.com/engine:v2");
    await act("Set it");
    await expect
      .poll(() => textOf("#said"), soon)
      .toMatch(/^image updated: decode\/decode registry\S+:v1 -> registry\S+:v2to take it back/);
    await act("Undo");
    await expect.poll(() => textOf("#said"), soon).toContain("rolled back");
  }, 60_000);

  test("rows keep their places while all of their pods are away", async () => {
    const strategy = { type: "ReplicaRecreate" } as const;
    const whole = podCliqueSetOf({ name: "whole", replicas: 2, strategy, cliques: { front: {} } });
    await world.client.create(podCliqueSetResource, whole);
    await open("whole");
    await expect.poll(() => cells(".available").count(), soon).toBe(2);
    await remember(page, ".unit[hidden], .part[hidden]");
    await page.locator("#image").fill("front:v2");
    await act("Set it");
    await expect.poll(() => textOf("#replaced-title"), soon).toBe("2 units replaced");
    expect(await page.evaluate("seen")).toBe(false);
    await world.client.delete(podCliqueSetResource, { namespace: "default", name: "whole" });
    await expect.poll(() => page.locator("nav li", { hasText: "whole" }).count(), soon).toBe(0);
  }, 60_000);

  test("clusters are shown by decision, and surge can be scrubbed back to", async () => {
    await start("A fleet of clusters");
    await expect.poll(() => textOf("#name"), soon).toBe("my-placement");
    await expect.poll(() => cells().count(), soon).toBe(150);
    await expect.poll(() => textOf("#state"), soon).toContain("Healthy");
    await start("A fleet of clusters");
    await expect.poll(() => cells().count(), soon).toBe(200);
    expect(await page.locator(".unit h4").allTextContents()).toEqual([
      "my-placement-decision-1 100",
      "my-placement-decision-2 100",
    ]);
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await expect
      .poll(() => textOf("#curve-text"), soon)
      .toBe("Listed clusters; fewest since all were listed: 150.");
    expect(await page.locator("#replaced-list").isVisible()).toBe(false);
    // By keys it goes from change to change, however short the time between them was.
    const surges: number[] = [];
    while ((await page.locator("#scrub").inputValue()) !== "0") {
      surges.push(await cells(".surge").count());
      await page.locator("#scrub").press("ArrowLeft");
    }
    expect(surges[0]).toBe(0);
    expect(Math.max(...surges)).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Live", exact: true }).click();
  }, 60_000);

  test("what cannot go on is one click away, and says why before anything else", async () => {
    await start("Ten replicas, three at a time");
    await open("web");
    await expect.poll(() => cells(".available").count(), soon).toBe(10);
    await expect.poll(() => page.locator("#why-panel").isVisible(), soon).toBe(false);
    await page.getByRole("button", { name: "Push a broken image" }).click();
    await expect.poll(() => textOf("#state"), soon).toContain("Stalled");
    await expect.poll(() => page.locator("#why-panel").isVisible(), soon).toBe(true);
    expect(await page.locator("#why-panel + #numbers").count()).toBe(1);
    // A button that somebody is about to press stays the same one while others change.
    const [button] = await page.locator("nav button", { hasText: "chat" }).elementHandles();
    await button?.click();
    await expect.poll(() => textOf("#name"), soon).toBe("chat");
    await page.getByRole("button", { name: "1 rollout cannot go on" }).click();
    await expect.poll(() => textOf("#name"), soon).toBe("web");
    await world.client.delete(statefulSetResource, { namespace: "default", name: "web" });
    await expect.poll(() => page.locator("nav li", { hasText: "web" }).count(), soon).toBe(0);
    expect(await button?.evaluate(({ isConnected }) => isConnected)).toBe(true);
    await open("my-placement");
  }, 90_000);

  test("what happened is that of the rollout that is open, where it is out of sight too", async () => {
    const size = page.viewportSize() ?? { width: 1280, height: 720 };
    await page.setViewportSize({ ...size, height: 250 });
    const served = () => textOf(".curve.whole strong");
    await open("coordinated");
    await expect.poll(served, soon).toBe("30 of 30 available");
    await page.locator("#quiet-times").waitFor(soon);
    await open("chat");
    await expect.poll(served, soon).toBe("1 of 1 available");
    await page.setViewportSize(size);
    await open("my-placement");
  }, 60_000);

  test("a page that was cut off follows what was opened since, not what it had lost", async () => {
    const visitor = await browser.newPage();
    await visitor.clock.install();
    await visitor.route(/stream\?rollout=.*chat/, (route) => route.abort());
    let asked = 0;
    visitor.on("request", (request) => (asked += Number(request.url().includes("chat"))));
    const opened = async (name: string): Promise<void> => {
      await visitor.locator("nav button", { hasText: name }).first().click();
    };
    const shows = (name: string) => visitor.locator("#name", { hasText: name }).waitFor(soon);
    await visitor.goto(`${world.url}!rolebasedgroup/default/coordinated`);
    await shows("coordinated");
    await opened("chat");
    await visitor.locator("#connection", { hasText: "not connected" }).waitFor(soon);
    await opened("coordinated");
    await shows("coordinated");
    const before = asked;
    await visitor.clock.fastForward(5_000);
    await opened("my-placement");
    await shows("my-placement");
    expect(asked).toBe(before);
    await visitor.close();
  }, 60_000);

  test("the address of a cluster that was started anew opens in the same tab", async () => {
    const visitor = await browser.newPage();
    await visitor.goto(`${world.origin}/#a-token-of-yesterday`);
    await visitor.locator("#connection", { hasText: "open the address" }).waitFor(soon);
    await visitor.goto(`${world.url}!rolebasedgroup/default/coordinated`);
    const name = visitor.locator("#name", { hasText: "coordinated" });
    await name.waitFor(soon);
    expect(await name.isVisible()).toBe(true);
    await visitor.close();
  }, 60_000);

  test("everything can be reached by keys", async () => {
    const name = () => textOf("#name");
    await page.locator("body").press("k");
    await expect.poll(name, soon).toBe("coordinated");
    await page.locator("body").press("k");
    await expect.poll(name, soon).toBe("chat");
    await expect.poll(() => cells().count(), soon).toBe(4);
    expect(await cells('[tabindex="0"]').count()).toBe(1);
    await cells('[tabindex="0"]').focus();
    const focused = () => page.evaluate<string>(`document.activeElement.dataset.pod`);
    const first = await focused();
    await page.keyboard.press("ArrowRight");
    expect(await focused()).not.toBe(first);
    await page.locator("body").press("?");
    expect(await page.locator("#help").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await page.locator("h2#name").click();
    await page.keyboard.press("ArrowLeft");
    expect(await textOf("#moment")).toContain("at 20");
    await page.keyboard.press("l");
    expect(await textOf("#moment")).toBe("now");
  });

  test("what strangers write is shown as text, and nothing is asked of others", async () => {
    const set = await world.client.get(podCliqueSetResource, key);
    const { uid } = set.metadata;
    await world.client.create(eventResource, {
      apiVersion: "v1",
      kind: "Event",
      type: "Warning",
      reason: hostile,
      message: hostile,
      metadata: { name: "hostile", namespace: "default" },
      involvedObject: { kind: "PodCliqueSet", namespace: "default", name: "chat", uid },
    } as never);
    const [revision] = (await world.client.list(controllerRevisionResource)).items;
    await world.client.patch(
      controllerRevisionResource,
      { namespace: "default", name: revision?.metadata.name ?? "" },
      { type: "merge", body: { metadata: { annotations: { [changeCause]: hostile } } } },
    );
    await world.client.patch(
      decisionResource,
      { namespace: "default", name: "my-placement-decision-1" },
      { type: "merge", body: { status: { decisions: [{ clusterName: hostile, reason: "" }] } } },
      { subresource: "status" },
    );
    await page.locator("#image").fill(hostile);
    await act("Set it");
    await expect.poll(() => textOf("#events"), soon).toContain(hostile);
    await expect.poll(() => textOf("#revisions"), soon).toContain(hostile);
    await expect.poll(() => textOf("#said"), soon).toContain(hostile);
    await open("my-placement");
    await expect.poll(() => textOf("#name"), soon).toBe("my-placement");
    expect(await page.title()).toBe("Lockstep");
    expect(await page.locator("img").count()).toBe(0);
    expect(errors).toEqual([]);
  }, 60_000);

  test.each([
    ["light", 1200],
    ["dark", 1200],
    ["dark", 390],
  ] as const)(
    "nothing bars anybody: %s, %i wide",
    async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      for (const name of ["chat", "coordinated", "my-placement"]) {
        await open(name);
        await expect.poll(() => textOf("#name"), soon).toBe(name);
        await expect.poll(() => cells().count(), soon).toBeGreaterThan(0);
        expect(await barriers()).toEqual([]);
        await page.locator("body").press("ArrowLeft");
        expect(await textOf("#moment")).toContain("at 20");
        expect(await barriers()).toEqual([]);
        const overflow = await page.evaluate(
          `document.documentElement.scrollWidth - document.documentElement.clientWidth`,
        );
        expect(overflow).toBeLessThanOrEqual(0);
      }
      await page.locator("body").press("?");
      expect(await barriers()).toEqual([]);
      await page.keyboard.press("Escape");
    },
    120_000,
  );

  test("where users sign in, a token of the cluster opens the page and stays out of the address", async () => {
    const other = await dashboardWorld({ allowsActions: true, login: true });
    const visitor = await browser.newPage();
    await visitor.goto(other.url);
    const signIn = async (given: string): Promise<void> => {
      await visitor.getByLabel("Token").fill(given);
      await visitor.getByRole("button", { name: "Sign in" }).click();
    };
    await signIn("guessed");
    await visitor.getByText("The cluster does not know this token.").waitFor();
    expect(await barriers(visitor)).toEqual([]);
    await other.client.create(podCliqueSetResource, podCliqueSetOf({ cliques: { front: {} } }));
    await signIn(token);
    await visitor.locator("nav button", { hasText: "chat" }).click();
    await visitor.locator("#state", { hasText: "Healthy" }).waitFor(soon);
    expect(await visitor.locator("#user").textContent()).toBe("signed in as a user of the cluster");
    expect(visitor.url()).not.toContain(token);
    const kept = await visitor.evaluate<string>(
      `JSON.stringify([sessionStorage, localStorage, document.cookie])`,
    );
    expect(kept).not.toContain(token);
    await visitor.getByRole("button", { name: "Sign out" }).click();
    await visitor.getByLabel("Token").waitFor();
    await other.stop();
  }, 60_000);
});
