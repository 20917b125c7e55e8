/** Reads a request's body, up to the size limit. */
import type { IncomingMessage } from "node:http";
import { readYaml } from "../../api/read-yaml.ts";
import { mediaTypeOf, protobufMediaType } from "../media-type.ts";
import type { ApiRequest } from "../request.ts";
import { parseJson } from "../schema/parse-json.ts";
import { readProtobuf } from "../schema/protobuf.ts";

export const maxBodyBytes = 3 * 1024 * 1024;

/** YAML takes fifty times as long to read as JSON, and nothing else is answered meanwhile. */
export const maxYamlBytes = 512 * 1024;

export function isYaml(contentType: string | undefined): boolean {
  return mediaTypeOf(contentType).includes("yaml");
}

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
  if (mediaType.includes("cbor")) return {};
  if (mediaType === protobufMediaType) return parseProtobuf(bytes);
  const bodyText = bytes.toString("utf8");
  try {
    if (isYaml(contentType)) return { body: readYaml(bodyText) };
    return { body: parseJson(bodyText), bodyText };
  } catch (error) {
    return { bodyText, bodyProblem: error instanceof Error ? error.message : String(error) };
  }
}

function parseProtobuf(bytes: Buffer): ReadBody {
  try {
    const body = readProtobuf(bytes);
    return body === undefined ? { bodyProblem: "its kind has no protobuf form" } : { body };
  } catch (error) {
    return { bodyProblem: error instanceof Error ? error.message : String(error) };
  }
}
