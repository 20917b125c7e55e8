/** The page in a real browser, while a real rollout goes on. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PodCliqueSet } from "../../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../src/api/grove/podcliqueset.ts";
import { dashboardWorld } from "../builders/dashboard-world.ts";
import { podCliqueSetOf } from "../builders/pod-clique-set-scenario.ts";

const executablePath = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => existsSync(path));
if (executablePath === undefined) {
  console.warn("NO BROWSER: the page of the dashboard is not tested. Install chromium to test it.");
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

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
      annotations: { "sim.lockstep.dev/ready-seconds": "8", hostile },
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
  const act = async (name: string): Promise<void> => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.locator("#yes").click();
  };
  const strategy = async () =>
    (await world.client.get<PodCliqueSet>(podCliqueSetResource, key)).spec.updateStrategy;

  test("cells change while pods are replaced, and actions do what they say", async () => {
    await expect.poll(() => cells(".available").count(), { timeout: 30_000 }).toBe(4);
    expect(await page.locator("#state").textContent()).toContain("Healthy");
    await page.locator("#container").fill("app");
    await page.locator("#image").fill("front:v2");
    await act("Set it");
    await expect
      .poll(() => cells(":not(.updated)").count(), { timeout: 30_000 })
      .toBeGreaterThan(0);
    await act("Pause");
    await expect.poll(strategy, { timeout: 10_000 }).toMatchObject({ paused: true });
    await expect.poll(() => page.locator("#state").textContent()).toContain("Paused");
    await act("Resume");
    await expect.poll(strategy, { timeout: 10_000 }).not.toMatchObject({ paused: true });
    await act("Undo");
    await expect
      .poll(() => page.locator("#said").textContent(), { timeout: 10_000 })
      .toContain("to take it back");
    await expect
      .poll(() => page.locator("#state").textContent(), { timeout: 60_000 })
      .toContain("Healthy");
  }, 120_000);

  test("the past can be scrubbed through, and live comes back", async () => {
    const now = await cells().count();
    await page.locator("#scrub").fill("0");
    expect(await page.locator("#moment").textContent()).toContain("at 20");
    await page.getByRole("button", { name: "Live", exact: true }).click();
    expect(await page.locator("#moment").textContent()).toBe("now");
    expect(await cells().count()).toBe(now);
  });

  test("a change is planned before it is made", async () => {
    await page.locator("#image").fill("front:broken");
    await page.getByRole("button", { name: "Plan it" }).click();
    await expect
      .poll(() => page.locator("#planned").textContent(), { timeout: 30_000 })
      .toContain("will not finish");
  }, 60_000);

  test("what strangers write is shown as text, and nothing is asked of others", async () => {
    await page.evaluate(`document.querySelector("#grid").scrollIntoView()`);
    expect(await page.title()).toBe("Lockstep");
    expect(await page.locator("img").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test.each([
    ["light", 1200],
    ["dark", 1200],
    ["dark", 390],
  ] as const)(
    "nothing bars anybody: %s, %i wide",
    async (colorScheme, width) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const source = readFileSync(
        createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
        "utf8",
      );
      await page.evaluate(source);
      const found = await page.evaluate<readonly Violation[]>(
        `axe.run().then((each) => each.violations)`,
      );
      const violations = found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      expect(violations).toEqual([]);
      const overflow = await page.evaluate(
        `document.documentElement.scrollWidth - document.documentElement.clientWidth`,
      );
      expect(overflow).toBeLessThanOrEqual(0);
    },
    60_000,
  );
});
