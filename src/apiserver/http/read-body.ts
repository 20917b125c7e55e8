/** Reads a request's body, up to the size limit. */
import type { IncomingMessage } from "node:http";
import { parse as parseYaml } from "yaml";
import type { ApiRequest } from "../request.ts";
import { mediaTypeOf } from "../rest/body.ts";
import { parseJson } from "../schema/parse-json.ts";

export const maxBodyBytes = 3 * 1024 * 1024;

/** Undefined where the body is too long; the rest of it is then left unread. */
export function readBody(message: IncomingMessage): Promise<Buffer | undefined> {
  const declared = Number(message.headers["content-length"] ?? 0);
  if (declared > maxBodyBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) return void chunks.push(chunk);
      message.pause();
      return resolve(undefined);
    });
    message.once("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    message.once("error", reject);
    message.once("close", () => reject(new Error("the client went away")));
  });
}

type ReadBody = Pick<ApiRequest, "body" | "bodyText" | "bodyProblem">;

export function parseBody(bytes: Buffer, contentType: string | undefined): ReadBody {
  if (bytes.length === 0) return {};
  const mediaType = mediaTypeOf(contentType);
  // The handler of the path knows which formats it takes, and refuses the others.
  if (mediaType.includes("protobuf") || mediaType.includes("cbor")) return {};
  const bodyText = bytes.toString("utf8");
  try {
    if (mediaType.includes("yaml")) return { body: parseYaml(bodyText) as unknown };
    return { body: parseJson(bodyText), bodyText };
  } catch (error) {
    return { bodyText, bodyProblem: error instanceof Error ? error.message : String(error) };
  }
}
