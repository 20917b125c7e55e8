/** From a request's JSON to a clean object of a built-in kind, or to the refusal Kubernetes would give. */
import type { KubeObject } from "../../api/object.ts";
import { ApiError } from "../../api/status.ts";
import { badRequest } from "../errors.ts";
import type { ServedResource } from "../served-resource.ts";
import { DecodeCursor, DecodeError } from "./decode-cursor.ts";
import { structDecoder } from "./decoder.ts";
import { typeNameOf } from "./type-table.ts";
import type { GroupVersionKind } from "./type-table.ts";

/** Makes the `decode` of a built-in kind; also for bodies such as DeleteOptions, Binding, Scale and Eviction. */
export function decoderOf(gvk: GroupVersionKind): ServedResource["decode"] {
  const name = typeNameOf(gvk);
  if (name === undefined)
    throw new Error(`${gvk.kind} of ${gvk.group}/${gvk.version} is no built-in kind`);
  const decoder = structDecoder(name);
  const apiVersion = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;

  return (body, known) => {
    const at = new DecodeCursor();
    try {
      const decoded = decoder.decode(body, at, known) as KubeObject;
      const object: KubeObject = { ...decoded, apiVersion, kind: gvk.kind };
      return { object, strictProblems: [...new Set(at.problems)] };
    } catch (error) {
      if (error instanceof DecodeError) throw cannotBeHandled(gvk, error.message);
      throw error;
    }
  };
}

/** A 400 that also carries the bare problem, for callers that word the message differently. */
export class UnreadableBodyError extends ApiError {
  readonly problem: string;

  constructor(message: string, problem: string) {
    super(badRequest(message).status);
    this.problem = problem;
  }
}

/** The refusal of a body that is JSON but not of this kind. */
export function cannotBeHandled(
  { kind, version }: Pick<GroupVersionKind, "kind" | "version">,
  problem: string,
): UnreadableBodyError {
  const message = `${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`;
  return new UnreadableBodyError(message, problem);
}
