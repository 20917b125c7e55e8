/** Every script of a StatefulSet: each runs in virtual time, over HTTP and on a real API server. */
import { conformance } from "./conformance.ts";
import { life } from "./life.ts";
import type { StatefulSetScripts } from "./script.ts";
import { updates } from "./updates.ts";

export const statefulSetScripts: StatefulSetScripts = { ...conformance, ...updates, ...life };
