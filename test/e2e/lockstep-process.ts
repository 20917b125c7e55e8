/** Runs the command line as a user does: in a process of its own, in a folder of its own. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { reasonToInstall } from "../../scripts/install.mjs";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const program = join(root, "bin", "lockstep.mjs");

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface RunningProcess {
  /** Everything printed so far, as soon as it matches. Rejects where the process ends before. */
  printed(pattern: RegExp): Promise<string>;
  readonly ended: Promise<Ended>;
  signal(name: NodeJS.Signals): void;
}

export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), "lockstep-e2e-"));
  readonly #started = new Set<ChildProcess>();

  start(command: string, args: readonly string[]): RunningProcess {
    const child = spawn(command, args, { cwd: this.path, env: environment(this.path) });
    this.#started.add(child);
    return following(child);
  }

  lockstep(...args: string[]): RunningProcess {
    // The program would install what is missing, which is nothing a test should do.
    const missing = reasonToInstall(root);
    if (missing !== undefined) throw new Error(`dependencies are not installed: ${missing}`);
    return this.start(process.execPath, [program, ...args]);
  }

  async run(...args: string[]): Promise<Ended> {
    return this.lockstep(...args).ended;
  }

  /** The path of a file with this text. */
  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  remove(): void {
    for (const child of this.#started) child.kill("SIGKILL");
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** No cluster of the machine's owner may be reached by accident. */
function environment(folder: string): NodeJS.ProcessEnv {
  const { KUBECONFIG: _kubeconfig, npm_command: _npm, ...rest } = process.env;
  const own = {
    HOME: join(tmpdir(), "lockstep-e2e-nobody"),
    XDG_STATE_HOME: join(folder, "state"),
  };
  return { ...rest, ...own, NO_COLOR: "1" };
}

function following(child: ChildProcess): RunningProcess {
  let output = "";
  let errors = "";
  const waiting = new Set<() => void>();
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk.toString("utf8");
    for (const look of waiting) look();
  });
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString("utf8")));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output, errors }));
  });
  const printed = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(output)) return;
        waiting.delete(look);
        resolve(output);
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`no ${pattern} in: ${output}${errors}`)));
    });
  return { printed, ended, signal: (name) => void child.kill(name) };
}
