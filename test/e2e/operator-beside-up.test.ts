/** docs/how-to/operator-beside-up.md: its commands, with ports of their own, do what it says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { freePorts } from "../control-plane/free-ports.ts";
import { Folder, root } from "./lockstep-process.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const folder = new Folder();
afterAll(() => folder.remove());

const page = readFileSync(join(root, "docs/how-to/operator-beside-up.md"), "utf8");

/** The words of the line of the page that begins so, without its comment. */
function typed(start: string): string[] {
  const line = page.split("\n").find((each) => each.startsWith(start));
  if (line === undefined) throw new Error(`the page has no line ${start}`);
  return line.replace(/ +#.*$/, "").split(" ");
}

const lockstep = (start: string): string[] => typed(`npx lockstep ${start}`).slice(2);

test("an operator beside the embedded cluster leads, rolls out, is measured and removed", async () => {
  const [first = 0, second = 0] = await freePorts(2);
  const kubeconfig = join(folder.path, ".lockstep", "kubeconfig");
  const up = folder.lockstep(...lockstep("up"), "--port", "0");
  await up.printed(/controllers {2}none: samples need an operator first [^]*Ctrl-C/);
  expect(page).toContain("export KUBECONFIG=$PWD/.lockstep/kubeconfig");
  const cluster = ["--kubeconfig", kubeconfig];
  const [, , , namespace = ""] = typed("kubectl create namespace");
  const manifest = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"${namespace}"}}`;
  await folder.run("apply", "-f", folder.write("namespace.json", manifest), ...cluster);
  const operator = (port: number) =>
    folder.lockstep(
      ...lockstep("operator").map((word) => (word === "8080" ? String(port) : word)),
      ...cluster,
    );

  const leader = operator(first);
  await leader.printed(/lease taken[^]*controllers run/);
  const follower = operator(second);
  await follower.printed(/"holder":"[^"]+","since":"[^"]+".*waiting for the lease/);

  const sample = typed("kubectl apply -f").at(-1) ?? "";
  await folder.run("apply", "-f", join(root, sample), ...cluster);
  const status = await folder.run(...lockstep("status"), ...cluster);
  expect(status.code).toBe(0);
  expect(status.output).toMatch(/^Healthy: /m);
  const get = async (port: number, path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}/${path}`)).text();
  expect(await get(first, "readyz")).toBe("ok\n");
  const metrics = await get(first, "metrics");
  expect(metrics).toContain("lockstep_leader 1\n");
  const llm = 'kind="PodCliqueSet",namespace="default",name="llm"';
  expect(metrics).toContain(`lockstep_rollout_available{${llm}} 1\n`);

  leader.signal("SIGINT");
  await follower.printed(/lease taken/);
  await leader.ended;
  const removed = await folder.run(...lockstep("uninstall"), ...cluster);
  expect(removed.output).toMatch(/^done: /m);
  follower.signal("SIGINT");
  up.signal("SIGINT");
  expect([(await follower.ended).code, (await up.ended).code]).toEqual([0, 0]);
});
