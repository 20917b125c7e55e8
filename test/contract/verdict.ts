/** An answer in one line, as tables of refusals write it. */
import type { Answer } from "./contract-client.ts";

/** `201` for what was accepted, `422 Invalid: <message>` for what was refused. */
export function verdict({ status, body, text }: Answer): string {
  if (status < 400) return String(status);
  if (body.kind !== "Status") return `${status} ${text.trim()}`;
  const reason = typeof body.reason === "string" ? body.reason : "no reason";
  return `${status} ${reason}: ${String(body.message)}`;
}

/** The part of an answer's first line that `want` covers: a `want` that ends in ` ...` is only a beginning. */
export function asFarAs(want: string, answered: string): string {
  const [first = ""] = answered.split("\n");
  return want.endsWith(" ...") ? `${first.slice(0, want.length - " ...".length)} ...` : first;
}
