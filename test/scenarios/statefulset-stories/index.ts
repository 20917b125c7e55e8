/** Every story of a StatefulSet, each told in virtual time, over HTTP and on a real API server. */
import { conformance } from "./conformance.ts";
import { life } from "./life.ts";
import type { SetStories } from "./story.ts";
import { updates } from "./updates.ts";

export const setStories: SetStories = { ...conformance, ...updates, ...life };
