/** What every command prints about one rollout, as a person and as a pipe see it: the text of a golden file. */
import type { Transport } from "../../src/runtime/transport.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import type { CommandAnswer } from "../builders/cli.ts";
import { cliOf } from "../builders/cli.ts";

export interface StagedWorld {
  readonly clock: VirtualClock;
  readonly transport: Transport;
}

export type Stage = () => Promise<StagedWorld>;

/** Nothing is changed, so that every command sees the same. */
const reading = (rollout: string): readonly string[] => [
  "list",
  `status ${rollout}`,
  `why ${rollout}`,
  `history ${rollout}`,
  `diff ${rollout}`,
  `watch ${rollout} --once`,
];

const steering = (rollout: string, image: string): readonly string[] =>
  [
    `pause ${rollout}`,
    `resume ${rollout}`,
    `undo ${rollout}`,
    `promote ${rollout}`,
    `promote ${rollout} --full`,
    `restart ${rollout}`,
    `set image ${rollout} ${image}`,
  ].map((line) => `${line} --dry-run`);

/** Runs one command, as a person or as a pipe. */
type Ask = (
  line: string,
  options: { readonly isTerminal: boolean; readonly rows: number },
) => Promise<CommandAnswer>;

export interface Asked {
  readonly rollout: string;
  readonly image: string;
  /** Seen by themselves, steered through the rollout. */
  readonly parts?: readonly string[];
}

export async function transcriptWith(
  ask: Ask,
  { rollout, image, parts = [] }: Asked,
): Promise<string> {
  const texts: string[] = [];
  const note = async (line: string, isTerminal: boolean): Promise<void> => {
    const { code, text } = await ask(line, { isTerminal, rows: 60 });
    const suffix = code === 0 ? "" : `\n[exit code ${code}]`;
    texts.push(`${isTerminal ? "terminal" : "pipe"}$ lockstep ${line}\n${text}${suffix}`);
  };
  for (const isTerminal of [false, true]) {
    for (const line of reading(rollout)) await note(line, isTerminal);
    for (const line of steering(rollout, image)) await note(line, isTerminal);
    for (const part of parts) {
      for (const verb of ["status", "why", "history"]) await note(`${verb} ${part}`, isTerminal);
      await note(`watch ${part} --once`, isTerminal);
      for (const verb of ["pause", "undo"]) await note(`${verb} ${part} --dry-run`, isTerminal);
    }
  }
  return `${texts.join("\n\n")}\n`;
}

/** However long it takes to load and run the commands, in the cluster no time passes meanwhile. */
export async function transcriptOf(
  world: StagedWorld,
  asked: Asked,
  columns = 120,
): Promise<string> {
  const { lockstep } = cliOf(world);
  const { clock } = world;
  const sinceMs = clock.monotonic();
  const text = await transcriptWith(
    (line, options) => lockstep(line, { ...options, columns }),
    asked,
  );
  const passedMs = clock.monotonic() - sinceMs;
  if (passedMs > 0) throw new Error(`${passedMs} ms passed in the cluster while it was looked at`);
  return text;
}

/** So wide that nothing is cut: ages are not as long on every server. */
export const wide = 1_000;

/** Times, ages and nodes are a run's own; events of different objects come in no particular order. */
export const stable = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/ event (Normal|Warning) |^<dim> +\d+[smh] <\/>/.test(line))
    .join("\n")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, "TIME")
    .replaceAll(/\b(\d+[dhms])+\b/g, "AGE")
    .replaceAll(/\bnode-\w+/g, "NODE")
    .replaceAll(/ {2,}/g, "  ");

/** What every server says of it. */
export const stableTranscriptOf = async (world: StagedWorld, asked: Asked): Promise<string> =>
  stable(await transcriptOf(world, asked, wide));
