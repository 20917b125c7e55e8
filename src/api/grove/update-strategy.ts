/** Update strategies of the three levels, as controllers read them. */
import type { z } from "zod";
import type { DeepReadonly } from "../deep-readonly.ts";
import type {
  childUpdateStrategy,
  componentUpdateStrategy,
  setUpdateStrategy,
  strategyTypes,
  stuckAnswers,
} from "./schema/update-strategy.ts";

/** `RollingUpdate` is another name of `RollingRecreate`; it is kept as written, not rewritten. */
export type UpdateStrategyType = (typeof strategyTypes)[number];
export type OnStuck = (typeof stuckAnswers)[number];

export type SetUpdateStrategy = DeepReadonly<z.input<typeof setUpdateStrategy>>;
export type ComponentUpdateStrategy = DeepReadonly<z.input<typeof componentUpdateStrategy>>;
export type ChildUpdateStrategy = DeepReadonly<z.input<typeof childUpdateStrategy>>;

/** The default strategy under either of its names. */
export function isRolling(type: UpdateStrategyType | undefined): boolean {
  return type === undefined || type === "RollingRecreate" || type === "RollingUpdate";
}
