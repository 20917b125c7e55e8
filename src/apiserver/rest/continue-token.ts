/** The token by which a client asks for the next page of a list. */
import { badRequest } from "../errors.ts";

export interface ContinueToken {
  readonly version: number;
  /** The key of the first object of the next page. */
  readonly from: string;
}

export function writeContinueToken({ version, from }: ContinueToken): string {
  const text = JSON.stringify({ v: "meta.k8s.io/v1", rv: version, start: from });
  return Buffer.from(text, "utf8").toString("base64url");
}

export function parseContinueToken(text: string): ContinueToken {
  const token = parsed(text);
  const { v, rv, start } = token ?? {};
  if (v !== "meta.k8s.io/v1" || typeof rv !== "number" || typeof start !== "string") {
    const why = "the token was not written by this server; list again without it";
    throw badRequest(`invalid continue token: continue key is not valid: ${why}`);
  }
  return { version: rv, from: start };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
