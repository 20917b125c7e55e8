/** An answer in one line, as tables of refusals write it. */
import { expect } from "vitest";
import type { Answer } from "./contract-client.ts";

/** `201` for what was accepted, `422 Invalid: <message>` for what was refused. */
export function verdict({ status, body, text }: Answer): string {
  if (status < 400) return String(status);
  if (body.kind !== "Status") return `${status} ${text.trim()}`;
  const reason = typeof body.reason === "string" ? body.reason : "no reason";
  return `${status} ${reason}: ${String(body.message)}`;
}

/** Compares an answer's first line; a wanted verdict that ends in ` ...` says only how it begins. */
export function expectVerdict(answered: string, want: string): void {
  const [first = ""] = answered.split("\n");
  if (!want.endsWith(" ...")) return expect(first).toBe(want);
  const beginning = want.slice(0, -" ...".length);
  expect(first.slice(0, beginning.length)).toBe(beginning);
}
