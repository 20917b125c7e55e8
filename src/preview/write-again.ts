/** What a change is compared with: the object as it is, as the server of the copy would write it. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { ApiError } from "../api/status.ts";
import type { Fork } from "./fork.ts";

interface Written {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

/** With the defaults of the copy, and with what its server warns of anyway: a cluster may be older, or newer. */
export async function writtenAgain(
  { client, warnings }: Fork,
  resource: Resource,
  object: KubeObject,
): Promise<Written> {
  const heard = warnings.length;
  try {
    const written = await client.update(resource, object, { dryRun: true });
    return { object: written, warnings: warnings.slice(heard) };
  } catch (error) {
    // What the server objects to, it says of the change as well.
    if (!(error instanceof ApiError)) throw error;
    return { object, warnings: [] };
  }
}

/** A word that is misspelt is dropped, and nothing happens. */
export const unknownFieldsIn = (warnings: readonly string[], known: readonly string[]): string[] =>
  warnings.filter((each) => each.startsWith("unknown field") && !known.includes(each));
