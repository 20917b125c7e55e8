/** What every command prints about one rollout, as a person and as a pipe see it: the text of a golden file. */
import type { Transport } from "../../src/runtime/transport.ts";
import type { VirtualClock } from "../../src/runtime/virtual-clock.ts";
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

export async function transcriptOf(
  world: StagedWorld,
  rollout: string,
  image: string,
): Promise<string> {
  const { lockstep } = cliOf(world);
  const parts: string[] = [];
  const ask = async (line: string, isTerminal: boolean): Promise<void> => {
    const { code, text } = await lockstep(line, { isTerminal, rows: 60 });
    const suffix = code === 0 ? "" : `\n[exit code ${code}]`;
    parts.push(`${isTerminal ? "terminal" : "pipe"}$ lockstep ${line}\n${text}${suffix}`);
  };
  for (const line of reading(rollout)) await ask(line, false);
  for (const line of reading(rollout)) await ask(line, true);
  for (const line of steering(rollout, image)) await ask(line, false);
  return `${parts.join("\n\n")}\n`;
}
