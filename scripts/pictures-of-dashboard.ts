/** Draws docs/pictures/dashboard-*.webp: opens the dashboard in Chromium while real rollouts go on, state by state. */
import { writeFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import type { PodCliqueSet } from "../src/api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../src/api/grove/podcliqueset.ts";
import { browserPath } from "../test/builders/browser.ts";
import { dashboardWorld } from "../test/builders/dashboard-world.ts";

const folder = process.argv[2] ?? "docs/pictures";

interface Shown {
  readonly colorScheme: "light" | "dark";
  readonly width: number;
  readonly height: number;
}

const desk = { colorScheme: "light", width: 1200, height: 1000 } as const;
const dark = { ...desk, colorScheme: "dark" } as const;
const phone = { colorScheme: "dark", width: 390, height: 1100 } as const;

async function opened(browser: Browser, url: string, shown: Shown): Promise<Page> {
  const { colorScheme, width, height } = shown;
  const page = await browser.newPage({ colorScheme, viewport: { width, height } });
  await page.goto(url);
  return page;
}

const world = await dashboardWorld({ allowsActions: true });
const browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox"] });
const page = await opened(browser, world.url, desk);
const top = (of: Page): Promise<unknown> => of.evaluate("window.scrollTo(0, 0)");
const picture = async (name: string, of = page): Promise<void> => {
  if (name !== "dashboard-skew") await top(of);
  const session = await of.context().newCDPSession(of);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 60 });
  writeFileSync(`${folder}/${name}.webp`, Buffer.from(data, "base64"));
};
const start = (title: string) => page.locator("#sample-list button", { hasText: title }).click();
const stateIs = (state: string) =>
  page.locator("#state", { hasText: state }).waitFor({ timeout: 120_000 });
const setImage = async (image: string, container: string): Promise<void> => {
  await page.locator("#container").selectOption(container);
  await page.locator("#image").fill(image);
  await page.getByRole("button", { name: "Set it" }).click();
  await page.locator("#yes").click();
};

await page.locator("#nodes li").first().waitFor();
await picture("dashboard-start");

const startAndSee = async (title: string, name: string): Promise<void> => {
  await start(title);
  await page.locator("#name", { hasText: name }).waitFor();
};

await startAndSee("Prefill and decode in step", "coordinated");
await stateIs("Healthy");
await setImage("registry.example.com/engine:v2", "*");
await page.locator("#said", { hasText: "image updated" }).waitFor();
await page
  .locator("#replaced-title", { hasText: /1\d units replaced/ })
  .waitFor({ timeout: 60_000 });
await page.evaluate("document.getElementById('skew').scrollIntoView({ block: 'center' })");
// Drawings of the past are made while they are in sight.
await page.locator("#skew .plotted > svg path.role").first().waitFor();
await picture("dashboard-skew");

await startAndSee("A fleet of clusters", "my-placement");
await page.locator("#grid .cell:nth-child(50)").first().waitFor();
await stateIs("Healthy");
await start("A fleet of clusters");
await page.locator("#reason", { hasText: "200 clusters" }).waitFor();
while ((await page.locator("#grid .surge").count()) <= 30) {
  await page.locator("#scrub").press("ArrowLeft");
}
await picture("dashboard-placement");

await startAndSee("Disaggregated serving", "chat");
await stateIs("Healthy");
await picture("dashboard-healthy");
await setImage("registry.example/frontend:v2", "frontend/server");
await page.locator("#grid .starting").first().waitFor();
await picture("dashboard-progressing");
await page.getByRole("button", { name: "Pause", exact: true }).click();
await page.locator("#yes").click();
await stateIs("Paused");
await picture("dashboard-paused");
await page.getByRole("button", { name: "Resume", exact: true }).click();
await page.locator("#yes").click();
await stateIs("Healthy");

const chat = { namespace: "default", name: "chat" };
const patch = (body: object): Promise<unknown> =>
  world.client.patch(podCliqueSetResource, chat, { type: "merge", body });
await patch({ spec: { updateStrategy: { partition: 1 } } });
await setImage("registry.example/frontend:v3", "frontend/server");
await stateIs("AtPartition");
await picture("dashboard-at-partition");
await page.getByRole("button", { name: "Promote", exact: true }).click();
await page.locator("#yes").click();
await stateIs("Healthy");

await patch({ spec: { updateStrategy: { progressDeadlineSeconds: 20 } } });
await page.locator("#push-broken").click();
await page.locator("#grid .broken").nth(6).waitFor({ timeout: 60_000 });
await page.locator("#why", { hasText: "broken for" }).waitFor();
await picture("dashboard-dark", await opened(browser, page.url(), dark));
await stateIs("Stalled");
await picture("dashboard-stalled");
const small = await opened(browser, page.url(), phone);
await small.locator("#grid .broken").first().waitFor();
await picture("dashboard-phone", small);
await page.getByRole("button", { name: "Undo", exact: true }).click();
await page.locator("#yes").click();
await stateIs("Healthy");

const { spec } = await world.client.get<PodCliqueSet>(podCliqueSetResource, chat);
const [first, ...rest] = spec.template.cliques;
// More than an object may carry, which no rule of the definition adds up.
const cliques = [{ ...first, annotations: { notes: "x".repeat(256 * 1024) } }, ...rest];
await patch({ spec: { template: { cliques } } });
await stateIs("Rejected");
// What was done before has nothing to do with this state.
await page.reload();
await stateIs("Rejected");
await page.locator("#grid .available").nth(29).waitFor();
await picture("dashboard-rejected");
await patch({ spec: { template: { cliques: spec.template.cliques } } });
await stateIs("Healthy");

await patch({ metadata: { finalizers: ["example.com/backup"] } });
await world.client.delete(podCliqueSetResource, chat);
await stateIs("Deleting");
await picture("dashboard-deleting");

const team = await dashboardWorld({ allowsActions: true, login: true });
const door = await opened(browser, team.url, { ...desk, height: 420 });
await door.getByLabel("Token").waitFor();
await picture("dashboard-login", door);
await team.stop();

await browser.close();
await world.stop();
