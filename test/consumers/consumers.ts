/** Starts the process of the consumers and asks it what it saw. */
import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Message, Question, Report, Setup } from "./messages.ts";

const file = join(import.meta.dirname, "consumer-process.ts");

export class Consumers {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #unanswered: ((report: Report) => void)[] = [];
  readonly #problems: string[] = [];
  #failing: ((error: Error) => void)[] = [];
  #isStopping = false;

  private constructor(setup: Setup, ready: () => void) {
    const args = ["--import", "tsx", file, JSON.stringify(setup)];
    this.#child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      if (message === "ready") return ready();
      if ("answer" in message) return this.#unanswered.shift()?.(message.answer);
      return this.#fail(message.problem);
    });
    this.#child.on("exit", (code) => this.#isStopping || this.#fail(`it ended with code ${code}`));
  }

  static async start(setup: Setup): Promise<Consumers> {
    return new Promise((resolve, reject) => {
      const consumers = new Consumers(setup, () => resolve(consumers));
      consumers.#failing.push(reject);
    });
  }

  ask(question: Question): Promise<Report> {
    return new Promise((resolve, reject) => {
      if (this.#problems[0] !== undefined) return reject(new Error(this.#problems[0]));
      this.#failing = [reject];
      this.#unanswered.push(resolve);
      this.#child.stdin.write(`${JSON.stringify(question)}\n`);
      return undefined;
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin.end();
    await ended;
  }

  #fail(problem: string): void {
    this.#problems.push(problem);
    for (const reject of this.#failing) reject(new Error(`the consumers: ${problem}`));
    this.#failing = [];
  }
}
