/** Runs kubectl against one server, in one namespace, without touching the user's own settings. */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { findBinary } from "../../tools/control-plane/build.ts";

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface RunningKubectl {
  /** Resolves with everything printed so far once `fits` holds for it; rejects at the deadline. */
  readonly until: (fits: (stdout: string) => boolean, deadlineMs?: number) => Promise<string>;
  readonly stop: () => Promise<Result>;
}

export interface Kubectl {
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Result>;
  /** Like `run`, for commands that must succeed: returns their output. */
  readonly output: (args: readonly string[], options?: RunOptions) => Promise<string>;
  /** For commands that run until they are stopped, such as `get -w`. */
  readonly start: (args: readonly string[]) => RunningKubectl;
}

/** The kubectl on PATH is the one that users have; without one, the built one is used. */
export function findKubectl(): string | undefined {
  const onPath = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "kubectl"))
    .find(isExecutable);
  return onPath ?? findBinary("kubectl");
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface KubectlOptions {
  readonly binary: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  /** A folder for kubectl's own cache. */
  readonly home: string;
}

export function kubectl({ binary, kubeconfig, namespace, home }: KubectlOptions): Kubectl {
  const launch = (args: readonly string[], { input, env }: RunOptions) => {
    const child = spawn(binary, ["-n", namespace, ...args], {
      env: { ...process.env, KUBECONFIG: kubeconfig, HOME: home, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.end(input ?? "");
    const printed = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (printed.stdout += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (printed.stderr += chunk.toString("utf8")));
    const ended = new Promise<Result>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? -1, ...printed }));
    });
    return { child, printed, ended };
  };

  const run: Kubectl["run"] = (args, options = {}) => launch(args, options).ended;
  return {
    run,
    output: async (args, options) => {
      const { code, stdout, stderr } = await run(args, options);
      if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${stderr}`);
      return stdout;
    },
    start: (args) => {
      const { child, printed, ended } = launch(args, {});
      const until: RunningKubectl["until"] = (fits, deadlineMs = 20_000) =>
        new Promise((resolve, reject) => {
          const check = (): void => {
            if (!fits(printed.stdout)) return;
            clearTimeout(timer);
            child.stdout.off("data", check);
            resolve(printed.stdout);
          };
          const timer = setTimeout(() => {
            const { stdout, stderr } = printed;
            reject(new Error(`kubectl ${args.join(" ")} printed only: ${stdout}${stderr}`));
          }, deadlineMs);
          child.stdout.on("data", check);
          check();
        });
      return {
        until,
        stop: () => {
          child.kill();
          return ended;
        },
      };
    },
  };
}
