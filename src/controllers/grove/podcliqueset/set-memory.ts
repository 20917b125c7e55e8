/** What is kept of a set between two reconciles, so that one costs about as much as what changed. */
import type { DefaultedSetSpec } from "../../../api/grove/defaults.ts";
import { withDefaults } from "../../../api/grove/defaults.ts";
import type { PodCliqueSet } from "../../../api/grove/podcliqueset.ts";
import { isSameJson } from "../../../api/same-json.ts";
import { ReplicaReader } from "./replica-objects.ts";

interface Recalled {
  readonly set: PodCliqueSet;
  readonly spec: DefaultedSetSpec;
  readonly reader: ReplicaReader;
}

export class SetMemory {
  #last: Recalled | undefined;

  /** The spec is the very same object until somebody changes the set, its labels or its annotations. */
  recall(set: PodCliqueSet): Recalled {
    const last = this.#last;
    const isSame = last !== undefined && isSameBasis(last.set, set);
    this.#last = {
      set,
      spec: isSame ? last.spec : withDefaults(set.spec),
      reader: last?.reader ?? new ReplicaReader(set),
    };
    return this.#last;
  }
}

/** Of everything that children are made from: status alone changes all the time. */
const isSameBasis = (a: PodCliqueSet, b: PodCliqueSet): boolean =>
  a === b ||
  (a.metadata.generation === b.metadata.generation &&
    isSameJson(a.metadata.labels, b.metadata.labels) &&
    isSameJson(a.metadata.annotations, b.metadata.annotations));
