/** One thing to verify: a configuration whose every state is visited. */
import type { Verdict } from "./explore.ts";

export interface Case {
  /** Cases of one group are reported together. */
  readonly group: string;
  /** What `--policy` chooses by. */
  readonly policy: string;
  readonly units: number;
  readonly name: string;
  readonly run: () => Verdict;
}
