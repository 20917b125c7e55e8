/** Reads a Binding. */
import { badRequest } from "../errors.ts";
import type { ApiRequest, Route } from "../request.ts";
import { assertObjectMediaType, isJsonObject } from "./body.ts";

export interface Binding {
  readonly node: string;
  readonly uid: string | undefined;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

export function decodeBinding({ name }: Route, request: ApiRequest): Binding {
  assertObjectMediaType(request);
  const { body } = request;
  if (!isJsonObject(body)) throw badRequest("the body of a binding must be a Binding");
  const metadata = isJsonObject(body["metadata"]) ? body["metadata"] : {};
  const target = isJsonObject(body["target"]) ? body["target"] : {};
  if ((metadata["name"] ?? "") !== "" && metadata["name"] !== name) {
    throw badRequest("name in URL does not match name in Binding object");
  }
  const { uid } = metadata;
  return {
    node: typeof target["name"] === "string" ? target["name"] : "",
    uid: typeof uid === "string" && uid !== "" ? uid : undefined,
    labels: texts(metadata["labels"]),
    annotations: texts(metadata["annotations"]),
  };
}

function texts(value: unknown): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const pairs = Object.entries(value).filter((pair): pair is [string, string] => {
    return typeof pair[1] === "string";
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}
