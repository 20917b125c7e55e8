/** What the scheduler needs to know about a gang: its pods, how many of each group it needs, and where. */
import type { Pod } from "../../api/pod.ts";

/** A node label of which pods must (`required`) or should (`preferred`) share one domain. */
export interface Pack {
  readonly required?: string;
  readonly preferred?: string;
}

export interface GangGroup {
  readonly name: string;
  /** Groups of one bundle are useless without each other: a standalone clique, a scaling-group replica. */
  readonly bundle: string;
  readonly minReplicas: number;
  /** The live pods that the gang lists, in name order. */
  readonly pods: readonly Pod[];
  readonly pack: Pack;
}

/** Groups that are packed together inside the gang. */
export interface GangPart {
  readonly pack: Pack;
  readonly groups: readonly GangGroup[];
}

export interface Gang {
  readonly key: string;
  readonly pack: Pack;
  readonly parts: readonly GangPart[];
}

/** `absent`: the pod names a gang that does not exist or does not list it. */
export type Membership =
  | { readonly kind: "alone" }
  | { readonly kind: "absent"; readonly message: string }
  | { readonly kind: "member"; readonly gang: Gang; readonly bundle: string };

export interface GangSource {
  /** Names the gang of a pod without looking it up; empty for a pod on its own. */
  keyOf(pod: Pod): string;
  membershipOf(pod: Pod): Membership;
  /** Calls the listener whenever a gang changes. */
  onChange(listener: () => void): () => void;
}

/** No pod belongs to a gang. */
export const noGangs: GangSource = {
  keyOf: () => "",
  membershipOf: () => ({ kind: "alone" }),
  onChange: () => () => {},
};
