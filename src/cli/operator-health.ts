/** What `/healthz` and `/readyz` answer: whether the operator can do its work, and whether a restart would help. */
import type { ControlledKind } from "../controllers/engine/controlled-kind.ts";

export interface HealthParts {
  /** Undefined without leader election. */
  readonly election?: { readonly isLeader: boolean; readonly isInTouch: boolean };
  /** Those that run; none while another operator leads. */
  readonly kinds: () => readonly ControlledKind[];
}

/** Why not, in words; undefined where all is well. */
export type HealthCheck = () => string | undefined;

export interface OperatorHealth {
  readonly ready: HealthCheck;
  readonly healthy: HealthCheck;
}

/**
 * Longer than any watch may be silent, any request unanswered and any pause between two attempts: an API server that
 * does not answer is heard of more often, as failed attempts.
 */
const longestStillMs = 300_000;

const leaseUnusable =
  "the lease cannot be read or written, the log says why: its namespace and the Role of deploy/operator.yaml " +
  "have to be there; --lease-namespace chooses another one";

export function operatorHealth({ election, kinds }: HealthParts): OperatorHealth {
  return {
    ready: () => {
      if (election !== undefined && !election.isLeader) {
        return election.isInTouch ? undefined : leaseUnusable;
      }
      const waiting = kinds()
        .filter(({ isReady }) => !isReady)
        .flatMap(({ caches }) => caches.filter(({ hasSynced }) => !hasSynced));
      const names = [...new Set(waiting.map(({ resource }) => resource.plural))];
      if (names.length > 0) return `${names.join(", ")} have not been listed yet`;
      return kinds().length === 0 && election !== undefined
        ? "controllers are starting"
        : undefined;
    },
    // A blocked event loop answers nothing at all, which a probe takes for unhealthy, too.
    healthy: () => {
      const still = kinds()
        .flatMap(({ caches }) => caches)
        .filter(({ stillForMs }) => stillForMs > longestStillMs);
      const names = [...new Set(still.map(({ resource }) => resource.plural))];
      if (names.length === 0) return undefined;
      return `the watch of ${names.join(", ")} has not moved for ${longestStillMs / 1000} s`;
    },
  };
}
