/** The rules of every built-in kind, by the name of its resource. */
import type { KindRules } from "../served-resource.ts";
import { podRules } from "./pod.ts";

export const builtinRules: ReadonlyMap<string, KindRules> = new Map([["pods", podRules]]);
