/** What a body says it is. */

export const protobufMediaType = "application/vnd.kubernetes.protobuf";

/** Without its parameters: `application/json; charset=utf-8` -> `application/json`. */
export function mediaTypeOf(contentType: string | undefined): string {
  return (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
