/** What the server refused, in kubectl's words. */
import type { ApiError } from "../api/status.ts";

export function refusalText(error: ApiError): string {
  const { details } = error.status;
  if (error.reason !== "Invalid" || details === undefined) {
    return `Error from server (${error.reason || error.code}): ${error.message}`;
  }
  const title = `The ${details.kind} "${details.name}" is invalid`;
  const causes = (details.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  const told = [...new Set(causes)];
  if (told.length === 0) return title;
  if (told.length === 1) return `${title}: ${told[0]}`;
  return `${title}: \n${told.map((cause) => `* ${cause}`).join("\n")}`;
}
