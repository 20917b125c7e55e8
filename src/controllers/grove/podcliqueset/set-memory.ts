/** What is kept of a set between two looks at it, so that a look costs about as much as what changed. */
import type { DefaultedSetSpec } from "../../../api/grove/defaults.ts";
import { withDefaults } from "../../../api/grove/defaults.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import { isSameJson } from "../../../api/same-json.ts";
import { ReplicaReader } from "./replica-objects.ts";

interface Remembered {
  readonly set: PodCliqueSet;
  readonly spec: DefaultedSetSpec;
  readonly reader: ReplicaReader;
}

export class SetMemory {
  readonly #sets = new Map<string, Remembered>();

  forget(key: string): void {
    this.#sets.delete(key);
  }

  /** The spec is the very same object until somebody changes the set, its labels or its annotations. */
  recall(key: string, set: PodCliqueSet): Remembered {
    const found = this.#sets.get(key);
    const { uid } = set.metadata;
    const known = found?.set.metadata.uid === uid ? found : undefined;
    const isSame = known !== undefined && isSameBasis(known.set, set);
    const next = {
      set,
      spec: isSame ? known.spec : withDefaults(set.spec),
      reader: known?.reader ?? new ReplicaReader(set),
    };
    this.#sets.set(key, next);
    return next;
  }
}

/** Of everything that children are made from: status alone moves all the time. */
const isSameBasis = (a: PodCliqueSet, b: PodCliqueSet): boolean =>
  a === b ||
  (a.metadata.generation === b.metadata.generation &&
    isSameJson(a.metadata.labels, b.metadata.labels) &&
    isSameJson(a.metadata.annotations, b.metadata.annotations));
