/** Makes a failing script as short as it can be while it still fails in the same way. */
import type { Outcome } from "./run.ts";
import type { Script, Step, Strike } from "./script.ts";

export interface ShrinkOptions {
  /** Of a run that failed. */
  readonly outcome: Outcome;
  readonly play: (script: Script) => Promise<Outcome>;
  /** How many scripts are tried at most. */
  readonly attempts?: number;
  readonly onAttempt?: (attempt: number, left: number) => void;
}

type Piece = { readonly step: Step } | { readonly strike: Strike };

const defaultAttempts = 150;

/** What a failure is about, without times and names. */
export const failureClass = ({ failure }: Outcome): string | undefined =>
  failure &&
  `${failure.what} ${(failure.texts[0] ?? "").split("\n")[0]}`.replaceAll(/[\d.]+/g, "#");

export async function shrink(options: ShrinkOptions): Promise<Outcome> {
  const { play, attempts = defaultAttempts } = options;
  const wanted = failureClass(options.outcome);
  let best = options.outcome;
  let tried = 0;
  const attempt = async (script: Script): Promise<boolean> => {
    if (tried >= attempts) return false;
    options.onAttempt?.(++tried, piecesOf(best.script).length);
    const outcome = await play(script);
    if (failureClass(outcome) !== wanted) return false;
    // Faults of the end that no longer strike are left out.
    best = outcome;
    return true;
  };
  for (let size = piecesOf(best.script).length; size >= 1;) {
    if (!(await removeSome(size, () => best.script, attempt))) size = Math.floor(size / 2);
  }
  await attempt({ ...best.script, operators: 1 });
  await attempt({ ...best.script, nodes: 1 });
  return best;
}

/** Whether a stretch of this many pieces could go. */
async function removeSome(
  size: number,
  current: () => Script,
  attempt: (script: Script) => Promise<boolean>,
): Promise<boolean> {
  let isShorter = false;
  for (let at = 0; at < piecesOf(current()).length;) {
    const pieces = piecesOf(current());
    const left = [...pieces.slice(0, at), ...pieces.slice(at + size)];
    if (await attempt(scriptOf(current(), left))) isShorter = true;
    else at += size;
  }
  return isShorter;
}

export const piecesOf = ({ steps, strikes = [] }: Script): readonly Piece[] => [
  ...strikes.map((strike) => ({ strike })),
  ...steps.map((step) => ({ step })),
];

const scriptOf = (script: Script, pieces: readonly Piece[]): Script => ({
  ...script,
  steps: pieces.flatMap((piece) => ("step" in piece ? [piece.step] : [])),
  strikes: pieces.flatMap((piece) => ("strike" in piece ? [piece.strike] : [])),
});
