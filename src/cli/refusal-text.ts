/** What a server refused, in kubectl's words. */
import type { ApiError } from "../api/status.ts";
import { terminalText } from "./terminal-text.ts";

export function refusalText(error: ApiError): string {
  return terminalText(wordsOf(error));
}

function wordsOf(error: ApiError): string {
  const { details } = error.status;
  const causes = (details?.causes ?? []).map(({ field, message }) =>
    [field, message].filter((part) => (part ?? "") !== "").join(": "),
  );
  // A patch that cannot be applied is refused as invalid without an object and without causes.
  if (error.reason !== "Invalid" || details?.kind === undefined) {
    return `Error from server (${error.reason || error.code}): ${error.message}`;
  }
  const named = details.name === undefined ? details.kind : `${details.kind} "${details.name}"`;
  const title = `The ${named} is invalid`;
  const different = [...new Set(causes)];
  if (different.length === 0) return title;
  if (different.length === 1) return `${title}: ${different[0]}`;
  return `${title}: \n${different.map((cause) => `* ${cause}`).join("\n")}`;
}
