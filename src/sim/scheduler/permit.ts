/** The last word before a pod is bound: a place to hold pods back until all that belong together have a node. */
import type { Pod } from "../../api/pod.ts";

export type Permission =
  | { readonly kind: "bind" }
  /** Keeps the place on the node; the pod is bound or gives the place back when the plugin says so. */
  | { readonly kind: "hold" };

/** What a plugin may do with the pods it holds. Keys are `namespace/name`. */
export interface HeldPods {
  bind(keys: readonly string[]): void;
  /** Gives the places back; the pods wait with this message until something changes. */
  giveBack(keys: readonly string[], message: string): void;
}

export interface PermitPlugin {
  /** Called once, before the first pod. */
  attach(held: HeldPods): void;
  /** Names the group a pod stands or falls with: what one group was told says nothing about another. */
  groupOf(pod: Pod): string;
  /** Called for a pod that has found a node. */
  permit(pod: Pod, node: string): Permission;
  /** A pod that was held is gone or was bound by someone else. */
  forget(key: string): void;
}

/** Binds every pod as soon as it has a node. */
export const bindAtOnce: PermitPlugin = {
  attach: () => {},
  groupOf: () => "",
  permit: () => ({ kind: "bind" }),
  forget: () => {},
};
