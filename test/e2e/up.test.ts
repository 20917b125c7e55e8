/** The first ten minutes of a new user: start the cluster, apply, look, break, repair, stop. */
import { spawnSync } from "node:child_process";
import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import { findKubectl } from "../kubectl/kubectl.ts";
import type { RunningProcess } from "./lockstep-process.ts";
import { Folder, program, root } from "./lockstep-process.ts";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const sample = (name: string): string => join(root, "deploy", "samples", name);

describe("a running cluster", () => {
  const folder = new Folder();
  const kubeconfig = join(folder.path, ".lockstep", "kubeconfig");
  let cluster: RunningProcess;
  let greeting = "";

  beforeAll(async () => {
    cluster = folder.lockstep("up", "--port", "0", "--speed", "20", "--nodes", "3");
    greeting = await cluster.printed(/Ctrl-C/);
  });
  afterAll(() => folder.remove());

  const output = async (...args: string[]): Promise<string> => {
    const { code, output: text, errors } = await folder.run(...args);
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    return text;
  };

  test("says where it is and what to try", () => {
    expect(greeting).toMatch(/3 nodes, time runs 20 times faster/);
    expect(greeting).toMatch(/API server +https:\/\/127\.0\.0\.1:\d+\n/);
    expect(greeting).toContain(`kubeconfig   ${kubeconfig}\n`);
    expect(greeting).toContain("kubectl apply -f ");
  });

  test("its kubeconfig is for its owner's eyes only, and only its token opens the door", async () => {
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    const { users } = loadKubeconfig([kubeconfig], true);
    const token = /token: (\w+)/.exec(readFileSync(kubeconfig, "utf8"))![1]!;
    expect(users.size).toBe(1);
    const forged = join(folder.path, "forged");
    writeFileSync(forged, readFileSync(kubeconfig, "utf8").replace(token, "guessed"));
    const refused = await folder.run("get", "pods", "--kubeconfig", forged);
    expect(refused.code).toBe(1);
    expect(refused.errors).toMatch(/^error: .*Unauthorized.*\n$/);
  });

  test("what is applied is scheduled and runs", async () => {
    expect(await output("apply", "-f", sample("pod.yaml"))).toBe(
      "configmap/settings created\npod/hello created\n" +
        "  to take it back: npx lockstep delete configmap/settings pod/hello\n",
    );
    const watch = folder.lockstep("get", "pods", "-w", "-o", "wide");
    await watch.printed(/^hello +1\/1 +Running .* node-\d/m);
    watch.signal("SIGTERM");
    expect(await watch.ended).toMatchObject({ code: 0, errors: "" });
    expect(await output("apply", "-f", sample("pod.yaml"))).toBe(
      "configmap/settings unchanged\npod/hello unchanged\n",
    );
    const changed = readFileSync(sample("pod.yaml"), "utf8").replace("llama-70b", "llama-8b");
    writeFileSync(join(folder.path, "changed.yaml"), changed);
    expect(await output("apply", "-f", "changed.yaml")).toMatch(
      /^configmap\/settings configured\npod\/hello unchanged\n {2}to take it back: npx lockstep apply -f \S+\n$/,
    );
  });

  // Everything stands still now, so that two programs see the same.
  const sameAsKubectl = [
    "get nodes -o wide",
    "get pods -A",
    "get pods --show-labels --no-headers",
    "get node node-1 -o json",
    "get node node-1 -o yaml",
    "get ns,crd",
    "get nope",
    "get pod nope --ignore-not-found",
    "describe pod hello --show-events=false",
  ];
  const binary = findKubectl();
  // Time goes on between the two answers, faster than elsewhere.
  const withoutTimes = (text: string): string =>
    text.replaceAll(/\b(\d+[dhms])+\b/g, "AGE").replaceAll(/ {3,}/g, "   ");

  test.skipIf(binary === undefined)("kubectl prints the same", async () => {
    const asBoth = async (line: string): Promise<{ own: string; other: string }> => {
      const args = [...line.split(" "), "--kubeconfig", kubeconfig];
      const [own, other] = [await folder.run(...args), await folder.start(binary!, args).ended];
      const text = ({ output: text, errors }: typeof own): string => withoutTimes(text + errors);
      return { own: text(own), other: text(other) };
    };
    const all = await Promise.all(sameAsKubectl.map(asBoth));
    expect(all.map(({ own }) => own)).toEqual(all.map(({ other }) => other));
  });

  test("a pod that cannot start says why", async () => {
    await output("apply", "-f", sample("broken-pod.yaml"));
    const watch = folder.lockstep("get", "pod", "broken", "-w");
    await watch.printed(/ImagePullBackOff/);
    watch.signal("SIGINT");
    const description = await output("describe", "pod", "broken");
    expect(description).toMatch(/State: +Waiting\n +Reason: +(ImagePullBackOff|ErrImagePull)\n/);
    expect(description).toMatch(/Warning +Failed .*Failed to pull image "registry.example\/hello/);
  });

  test("a rule of a custom kind refuses what breaks it, in the words of a real server", async () => {
    await output("apply", "-f", sample("crd-with-rule.yaml"));
    const refused = await folder.run("apply", "-f", sample("bad-window.yaml"));
    expect(refused).toEqual({
      code: 1,
      output: "",
      errors: 'The Window "upside-down" is invalid: spec: Invalid value: min 5 exceeds max 1\n',
    });
  });

  /** Each asks for what may follow as the shell itself does when somebody presses Tab. */
  const shells: Readonly<Record<string, string>> = {
    bash: `
      source <(lockstep completion bash)
      COMP_WORDS=(lockstep why statefulset/) COMP_CWORD=2
      _lockstep; printf '%s\\n' "\${COMPREPLY[@]}"`,
    // The function is loaded by the first completion, as from a folder of functions.
    zsh: `
      mkdir -p functions; lockstep completion zsh > functions/_lockstep
      fpath=(./functions $fpath); autoload -Uz compinit; compinit -u -D
      compadd() { [[ "$2" == -S ]] || print -l -- "\${@[3,-1]}" }
      words=(lockstep why statefulset/) CURRENT=3
      \${_comps[lockstep]}`,
    fish: `
      lockstep completion fish | source
      complete --do-complete 'lockstep why statefulset/'`,
  };

  test.each(Object.entries(shells))("%s completes the names of objects", async (shell, script) => {
    await output("apply", "-f", sample("statefulset.yaml"));
    if (spawnSync(shell, ["--version"]).status !== 0) {
      return void process.stderr.write(`completion is not tested in ${shell}: install it\n`);
    }
    const define =
      shell === "fish"
        ? `function lockstep; "${process.execPath}" "${program}" $argv; end`
        : `lockstep() { "${process.execPath}" "${program}" "$@"; }`;
    const { output: names } = await folder.start(shell, ["-c", `${define}\n${script}`]).ended;
    expect(names.trim()).toBe("statefulset/web");
  });

  test.skipIf(binary === undefined)("kubectl runs it as a plugin, and is named then", async () => {
    symlinkSync(program, join(folder.path, "kubectl-lockstep"));
    const line = `PATH="${folder.path}:$PATH" "${binary}" lockstep pause statefulset/web`;
    expect(await folder.start("sh", ["-c", line]).ended).toEqual({
      code: 0,
      output:
        "statefulset/web paused\n  to take it back: kubectl lockstep resume statefulset/web\n",
      errors: "",
    });
  });

  test.skipIf(binary === undefined)("kubectl completes the names of objects", async () => {
    symlinkSync(program, join(folder.path, "kubectl_complete-lockstep"));
    const line = `PATH="${folder.path}:$PATH" "${binary}" __complete lockstep why statefulset/`;
    const { output: names } = await folder.start("sh", ["-c", line]).ended;
    expect(names).toBe("statefulset/web\n:4\n");
  });

  test("what is deleted is gone when the command returns", async () => {
    expect(await output("delete", "-f", sample("pod.yaml"))).toMatch(
      /^configmap "settings" deleted\npod "hello" deleted\n {2}to take it back: npx lockstep apply -f \S+\n$/,
    );
    expect((await folder.run("get", "pod", "hello")).errors).toBe(
      'Error from server (NotFound): pods "hello" not found\n',
    );
  });

  test("SIGTERM stops it, and its kubeconfig goes with it", async () => {
    cluster.signal("SIGTERM");
    expect(await cluster.ended).toMatchObject({ code: 0, errors: "stopping ...\nstopped\n" });
    expect(statSync(kubeconfig, { throwIfNoEntry: false })).toBeUndefined();
    const { code, errors } = await folder.run("get", "pods");
    expect(code).toBe(1);
    expect(errors).toMatch(/^error: no cluster to talk to: .*npm run up.*\n$/);
  });
});

describe("what cannot be started says so in one line", () => {
  const folder = new Folder();
  const taken = createServer();
  beforeAll(() => new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve)));
  afterAll(() => {
    taken.close();
    folder.remove();
  });

  const refusals: Record<string, { args: (port: string) => string[]; want: RegExp; code: number }> =
    {
      "a port that is taken": {
        args: (port) => ["--port", port],
        want: /^error: cannot listen on 127\.0\.0\.1:\d+: port \d+ is already in use; .*--port 0/,
        code: 1,
      },
      "a place that cannot be written": {
        args: () => ["--port", "0", "--kubeconfig", "/dev/null/kubeconfig"],
        want: /^error: cannot write the kubeconfig \/dev\/null\/kubeconfig: .*--kubeconfig FILE/,
        code: 1,
      },
      "a controller that does not exist": {
        args: () => ["--controllers", "nope"],
        want: /^error: --controllers: there is no controller "nope"; choose from /,
        code: 1,
      },
      "a port out of range": {
        args: () => ["--port", "70000"],
        want: /^error: option '--port <number>' argument '70000' is invalid\. Want a whole number/,
        code: 2,
      },
      "a speed of nothing": {
        args: () => ["--speed", "0"],
        want: /^error: option '--speed <factor>' argument '0' is invalid\. Want a number above 0/,
        code: 2,
      },
      "a flag that does not exist": {
        args: () => ["--nodez", "3"],
        want: /^error: unknown option '--nodez'/,
        code: 2,
      },
    };

  test.each(Object.entries(refusals))("%s", async (_rule, { args, want, code }) => {
    const { port } = taken.address() as AddressInfo;
    const refused = await folder.run("up", ...args(String(port)));
    expect(refused.errors).toMatch(want);
    expect(refused.errors).not.toMatch(/\n +at /);
    expect(refused.code).toBe(code);
    expect(refused.output).toBe("");
  });
});

test("Ctrl-C stops a cluster on plain http without nodes and controllers", async () => {
  const folder = new Folder();
  const file = join(folder.path, "config");
  const flags = ["--port", "0", "--http", "--nodes", "0", "--controllers", "none"];
  const cluster = folder.lockstep("up", ...flags, "--kubeconfig", file);
  expect(await cluster.printed(/Ctrl-C/)).toMatch(
    /controllers +none: samples need an operator first /,
  );
  expect(readFileSync(file, "utf8")).toContain("server: http://127.0.0.1:");
  cluster.signal("SIGINT");
  expect((await cluster.ended).code).toBe(0);
  folder.remove();
});
