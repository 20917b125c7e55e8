/** Whether an operator is at work, by the lease that it leads with: one that is gone reports nothing itself. */
import type { Condition } from "../api/apps.ts";
import type { KubeObject } from "../api/object.ts";
import { ApiError, isNotFound } from "../api/status.ts";
import { shellWord } from "../api/shell-word.ts";
import { parseTime, timeText } from "../api/time-text.ts";
import type { Client } from "../runtime/client.ts";
import type { Lease } from "../runtime/leader.ts";
import { lastHolderAnnotation, leaseResource } from "../runtime/leader.ts";
import type { RolloutKind } from "./kind.ts";

/** Of the lease that operators of one cluster compete for. */
export const leaseName = "lockstep";

/** Where deploy/operator.yaml allows it. */
export const defaultLeaseNamespace = "lockstep-system";

/** Nobody holds the lease: since when, and who did last. */
export interface OperatorAbsence {
  /** `lockstep-system/lockstep`. */
  readonly lease: string;
  readonly lastHolder: string;
  readonly ended: "released" | "expired";
  readonly since: string;
  /** What it was started with, as far as its lease says: `--controllers podcliqueset --statefulset-mode full`. */
  readonly flags: string;
}

/** What an operator does, as annotations of its lease: its flags. */
export interface OperatorScope {
  readonly controllers: readonly string[];
  readonly statefulSetMode: string;
  /** Empty for all. */
  readonly namespaces: readonly string[];
}

export interface AbsentOperator extends Omit<OperatorAbsence, "flags"> {
  readonly scope: OperatorScope;
}

/** There is no lease at all: it went with its namespace, or is elsewhere, or the operator elects no leader. */
export interface MissingLease {
  /** `lockstep-system/lockstep`. */
  readonly missing: string;
}

const scopeKeys = {
  controllers: "lockstep.dev/controllers",
  statefulSetMode: "lockstep.dev/statefulset-mode",
  namespaces: "lockstep.dev/namespaces",
} as const;

export const scopeAnnotations = ({
  controllers,
  statefulSetMode,
  namespaces,
}: OperatorScope): Readonly<Record<string, string>> => ({
  [scopeKeys.controllers]: controllers.join(","),
  [scopeKeys.statefulSetMode]: statefulSetMode,
  [scopeKeys.namespaces]: namespaces.join(","),
});

const wordsOf = (text = ""): readonly string[] => text.split(",").filter((word) => word !== "");

/** Somebody may be about to take it. */
const releasedForMs = 10_000;
/** Since the last renewal, which comes every two seconds: the clock of whoever reads may be wrong by most of it. */
const silentForMs = 60_000;

/** Undefined while somebody holds the lease, or may. */
export function absentOperator(lease: Lease, nowMs: number): AbsentOperator | undefined {
  const { metadata, spec = {} } = lease;
  const { holderIdentity = "", renewTime = "", leaseDurationSeconds = 15 } = spec;
  const annotations = metadata.annotations ?? {};
  const renewedMs = parseTime(renewTime);
  if (renewedMs === undefined) return undefined;
  const isReleased = holderIdentity === "";
  if (nowMs - renewedMs < (isReleased ? releasedForMs : silentForMs)) return undefined;
  const endedMs = isReleased ? renewedMs : renewedMs + leaseDurationSeconds * 1000;
  return {
    lease: `${metadata.namespace}/${metadata.name}`,
    lastHolder: isReleased ? (annotations[lastHolderAnnotation] ?? "its holder") : holderIdentity,
    ended: isReleased ? "released" : "expired",
    since: timeText(endedMs),
    scope: {
      controllers: wordsOf(annotations[scopeKeys.controllers]),
      statefulSetMode: annotations[scopeKeys.statefulSetMode] ?? "",
      namespaces: wordsOf(annotations[scopeKeys.namespaces]),
    },
  };
}

/** Undefined, too, where the lease may not be read: then nobody knows. */
export async function readAbsentOperator(
  client: Client,
  nowMs: number,
): Promise<AbsentOperator | MissingLease | undefined> {
  const key = { namespace: defaultLeaseNamespace, name: leaseName };
  try {
    return absentOperator(await client.get<Lease>(leaseResource, key), nowMs);
  } catch (error) {
    if (isNotFound(error)) return { missing: `${key.namespace}/${key.name}` };
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Of one object: undefined where that operator did not run it, or somebody else does by now. */
export function absenceFor(
  { scope, ...absence }: AbsentOperator,
  kind: Pick<RolloutKind, "word" | "isRunBy">,
  object: KubeObject,
): OperatorAbsence | undefined {
  const { namespace = "" } = object.metadata;
  const { controllers, namespaces } = scope;
  const isIts =
    controllers.includes(kind.word) &&
    (namespaces.length === 0 || namespaces.includes(namespace)) &&
    (kind.isRunBy?.(object, scope) ?? true);
  return isIts && lastReported(object) <= absence.since
    ? { ...absence, flags: flagsOf(scope) }
    : undefined;
}

/** Foreign text, in a command that is copied. */
function flagsOf({ controllers, statefulSetMode, namespaces }: OperatorScope): string {
  const flags = {
    "--controllers": controllers.join(","),
    "--statefulset-mode": statefulSetMode,
    "--namespaces": namespaces.join(","),
  };
  return Object.entries(flags)
    .filter(([, value]) => value !== "")
    .map(([flag, value]) => `${flag} ${shellWord(value)}`)
    .join(" ");
}

/** Somebody has reported on it, and nothing for a minute: whoever did may have gone with the lease. */
export function isSilent(object: KubeObject, nowMs: number): boolean {
  const reportedMs = parseTime(lastReported(object));
  return reportedMs !== undefined && nowMs - reportedMs >= silentForMs;
}

/** Operators write it by the same clock as their lease. */
function lastReported(object: KubeObject): string {
  const { conditions = [] } = (object["status"] ?? {}) as { conditions?: readonly Condition[] };
  return (
    conditions
      .map(({ lastTransitionTime = "" }) => lastTransitionTime)
      .toSorted()
      .at(-1) ?? ""
  );
}

/** `no operator has been at work since ...: gpu-7_1 released the lease lockstep-system/lockstep`. */
export function absenceText({
  lease,
  lastHolder,
  ended,
  since,
}: Omit<OperatorAbsence, "flags">): string {
  const how =
    ended === "released"
      ? `${lastHolder} released the lease ${lease}`
      : `${lastHolder} held the lease ${lease} and renews it no more`;
  return `no operator has been at work since ${since}: ${how}`;
}

/** Never more than a hint: an operator may work without this lease. */
export const missingLeaseText = (lease: string): string =>
  `no operator holds a lease: ${lease} does not exist, so nobody may go on with this; ` +
  "ignore that if the operator elects no leader or uses another --lease-namespace";
