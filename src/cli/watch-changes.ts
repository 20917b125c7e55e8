/** What has changed among the pods of a rollout between two looks, in lines. Pure. */
import type { RolloutNode, RolloutView } from "../rollouts/view.ts";
import { podsOf } from "../rollouts/view.ts";

/** What was last said of each pod, by name. */
export type PodTexts = ReadonlyMap<string, string>;

const podText = ({ health, cause, revision }: RolloutNode): string =>
  `${health}${revision?.number === undefined ? "" : ` (revision ${revision.number})`}` +
  (cause === undefined ? "" : `: ${cause}`);

/** A pod outlives its clique while it terminates, and has no place in the tree then: it is not gone yet. */
export function podTexts(
  { nodes }: Pick<RolloutView, "nodes">,
  existing: ReadonlySet<string>,
  before: PodTexts = new Map(),
): PodTexts {
  const drawn = new Map(podsOf(nodes).map((pod) => [pod.name, podText(pod)]));
  const left = [...before].filter(([name]) => existing.has(name) && !drawn.has(name));
  return new Map([...left.map(([name, text]) => [name, leaving(text)] as const), ...drawn]);
}

const leaving = (text: string): string =>
  `terminating${/^\w+( \(revision \d+\))?/.exec(text)?.[1] ?? ""}`;

/** The first look shows where everything stands; after it only changes are news. */
export function podChanges(before: PodTexts | undefined, now: PodTexts): readonly string[] {
  if (before === undefined) return [];
  const gone = [...before.keys()].filter((name) => !now.has(name));
  return [
    ...gone.map((name) => `pod ${name}: gone`),
    ...[...now]
      .filter(([name, text]) => before.get(name) !== text)
      .map(([name, text]) => `pod ${name}: ${text}`),
  ];
}
