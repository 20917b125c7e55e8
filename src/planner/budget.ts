/** How many units may be missing or extra while a rollout runs, as resolved integers. */

export interface Budget {
  readonly maxUnavailable: number;
  readonly maxSurge: number;
}
