/** Strategic merge patch of one built-in kind, refused if the result is not an object of the kind. */
import type { StrategicMerge } from "../served-resource.ts";
import { DecodeCursor, DecodeError } from "../schema/decode-cursor.ts";
import { structDecoder } from "../schema/decoder.ts";
import { typeNameOf } from "../schema/type-table.ts";
import type { GroupVersionKind } from "../schema/type-table.ts";
import { goKind, goText } from "./go-text.ts";
import { unreadableResult } from "./patch-errors.ts";
import { mergeByRules } from "./strategic-merge.ts";

/** Makes the `strategicMerge` of a built-in kind; undefined where the kind is not one. */
export function strategicMergeOf(gvk: GroupVersionKind): StrategicMerge | undefined {
  const typeName = typeNameOf(gvk);
  if (typeName === undefined) return undefined;
  const decoder = structDecoder(typeName);
  return {
    merge: (original, patch) => mergeByRules(typeName, original, patch),
    refusal: (merged, patch) => {
      try {
        decoder.decode(merged, new DecodeCursor());
      } catch (error) {
        if (error instanceof DecodeError) return unreadableResult(goText(patch), conversion(error));
        throw error;
      }
      throw new Error("a merged object that can be decoded was refused");
    },
  };
}

/** The real server converts the merged map into a Go value directly, with its own messages. */
function conversion({ message, mismatch }: DecodeError): string {
  if (mismatch === undefined) return message;
  const { given, wanted } = mismatch;
  if (wanted === "struct") return `cannot restore struct from: ${goKind(given)}`;
  if (wanted === "slice" || wanted === "map") {
    return `cannot restore ${wanted} from ${goKind(given)}`;
  }
  return `unrecognized type: ${wanted}`;
}
