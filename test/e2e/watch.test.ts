/** `lockstep watch` in a real terminal, driven by tmux: redrawn in place, resized, interrupted. */
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { eventually } from "../contract/eventually.ts";
import type { RunningProcess } from "./lockstep-process.ts";
import { Folder, root } from "./lockstep-process.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) process.stderr.write("lockstep watch is not tested in a terminal: install tmux\n");

describe.skipIf(!hasTmux)("in a terminal", () => {
  const folder = new Folder();
  const socket = join(folder.path, "tmux");
  const kubeconfig = join(folder.path, ".lockstep", "kubeconfig");
  let cluster: RunningProcess;
  const tmux = (...args: string[]): string =>
    execFileSync("tmux", ["-S", socket, ...args], { encoding: "utf8", cwd: folder.path });
  const screen = async (): Promise<string> => tmux("capture-pane", "-p");
  const shows = (pattern: RegExp): Promise<string> =>
    eventually(`the screen shows ${pattern}`, screen, (text) => pattern.test(text), 60_000);
  const lockstep = async (...args: string[]): Promise<string> => {
    const { code, output, errors } = await folder.run(...args);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    return output;
  };

  beforeAll(async () => {
    cluster = folder.lockstep("up", "--port", "0", "--speed", "4", "--nodes", "3");
    await cluster.printed(/Ctrl-C/);
    await lockstep("apply", "-f", join(root, "deploy", "samples", "statefulset.yaml"));
    await folder.run("status", "statefulset/web", "--watch", "--timeout", "60s");
    tmux("new-session", "-d", "-x", "100", "-y", "30", "sh");
    const program = join(root, "bin", "lockstep.mjs");
    const line = `${process.execPath} ${program} watch statefulset/web --kubeconfig ${kubeconfig}`;
    tmux("send-keys", line, "Enter");
  });
  afterAll(() => {
    spawnSync("tmux", ["-S", socket, "kill-server"]);
    folder.remove();
  });

  test("shows the tree, the budget and what is awaited while a rollout goes on, in place", async () => {
    const before = await shows(
      /✔ Healthy[^]*unavailable 0\/3 surge 0\/0[^]*✔ web-9 +#1 +available/,
    );
    expect(before).toMatch(/progress +█{24} 10\/10 pods/);
    await lockstep("set", "image", "statefulset/web", "server=registry.example/web:v2");
    await shows(/◌ Progressing[^]*#1 web-\w+ -> #2 web-\w+ +server image v1 -> v2/);
    await shows(/unavailable 3\/3 surge 0\/0/);
    const after = await shows(/✔ Healthy[^]*10\/10 pods[^]*✔ web-0 +#2 +available/);
    // Drawn over itself: one drawing is on the screen, not one below the other.
    expect(after.match(/✔ statefulset\/web /g)).toHaveLength(1);
  });

  test("a broken image names the pod and its cause", async () => {
    await lockstep("set", "image", "statefulset/web", "server=registry.example/web:broken");
    const stalled = await shows(/✖ Stalled[^]*✖ web-\d +#3 +broken[^]*ImagePullBackOff/);
    expect(stalled).toMatch(/unavailable 3\/3 surge 0\/0/);
  });

  test("what does not fit a small terminal is cut, not wrapped", async () => {
    tmux("resize-window", "-x", "60", "-y", "14");
    const text = await shows(
      /^statefulset\/web[^]*type +npx lockstep undo [^]*… enlarge the terminal/m,
    );
    const lines = text.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(14);
    expect(lines[0]).toMatch(/^statefulset\/web {2}namespace default/);
    tmux("resize-window", "-x", "100", "-y", "30");
  });

  test("Ctrl-C ends it, leaves the last drawing, and gives the cursor back", async () => {
    await shows(/✖ Stalled/);
    tmux("send-keys", "C-c");
    await eventually(
      "the shell is back",
      async () => tmux("display-message", "-p", "#{pane_current_command} #{cursor_flag}").trim(),
      (text) => text === "sh 1",
    );
    expect(await screen()).toMatch(/✖ Stalled/);
    // It was resized twice, and nothing of what was drawn before is left, not even above the screen.
    const all = tmux("capture-pane", "-p", "-S", "-200");
    expect(all).toMatch(/^statefulset\/web +namespace default/m);
    expect(all.match(/^statefulset\/web +namespace default/gm)).toHaveLength(1);
    cluster.signal("SIGTERM");
    expect((await cluster.ended).code).toBe(0);
  });
});
