/** What a page may send: read field by field, so that nothing else gets any further. */
import { UserError } from "../api/user-error.ts";
import type { Asked } from "./offers.ts";

export interface ActionBody extends Pick<Asked, "toRevision"> {
  /** Containers as people type them: `frontend/server`. */
  readonly images?: readonly { readonly container: string; readonly image: string }[];
  readonly rollout?: string;
  readonly verb?: string;
  readonly node?: string;
  readonly namespace?: string;
  readonly name?: string;
}

type Json = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isRevision = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
const isImage = (value: unknown): boolean =>
  isObject(value) && isText(value["container"]) && isText(value["image"]) && value["image"] !== "";

const fields: Readonly<Record<keyof ActionBody, [is: (value: unknown) => boolean, want: string]>> =
  {
    rollout: [isText, "text"],
    verb: [isText, "text"],
    node: [isText, "text"],
    namespace: [isText, "text"],
    name: [isText, "text"],
    toRevision: [isRevision, "the number of a revision"],
    images: [
      (value) => Array.isArray(value) && value.every(isImage),
      "a list of objects with a container and an image",
    ],
  };

/** Throws where a field is not what it has to be. */
export function actionBody(body: unknown): ActionBody {
  if (!isObject(body)) throw new UserError({ problem: "the request must be an object" });
  for (const [name, [is, want]] of Object.entries(fields)) {
    const value = body[name];
    if (value !== undefined && !is(value)) {
      throw new UserError({ problem: `${name} must be ${want}` });
    }
  }
  return body;
}
