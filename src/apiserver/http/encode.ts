/** Answers and watch events as bytes. */
import { apiVersionOf } from "../../api/resource.ts";
import { writeYaml } from "../../api/write-yaml.ts";
import { encodedItem, encodedObject } from "../forms.ts";
import { eventObject, valueOf } from "../in-process-transport.ts";
import type { Answer, AnswerBody } from "../request.ts";
import type { WatchPlan } from "../watch/watch-plan.ts";
import type { WatchSignal } from "../watch/watch.ts";

export interface Encoded {
  readonly contentType: string;
  readonly text: string;
}

export function encodeAnswer(answer: Answer, format: "json" | "pretty" | "yaml"): Encoded {
  const { body } = answer;
  if (body.type === "text") return { contentType: "text/plain; charset=utf-8", text: body.text };
  if (format === "yaml") {
    return { contentType: "application/yaml", text: writeYaml(valueOf(body)) };
  }
  const contentType = answer.contentType ?? "application/json";
  const text = format === "pretty" ? JSON.stringify(valueOf(body), null, 2) : jsonOf(body);
  return { contentType, text: `${text}\n` };
}

type ListBody = Extract<AnswerBody, { readonly type: "list" }>;

/** Large enough for an efficient write, small enough to be freed soon. */
const pieceLength = 128 * 1024;

/** Encodes a list in chunks, so that a large one is never in memory as one text. */
export function* encodedList({ resource, objects, metadata }: ListBody): Generator<string> {
  const type = `"kind":"${resource.listKind}","apiVersion":"${apiVersionOf(resource)}"`;
  let piece = `{${type},"metadata":${JSON.stringify(metadata)},"items":[`;
  let separator = "";
  for (const object of objects) {
    piece += separator + encodedItem(resource, object);
    separator = ",";
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}\n`;
}

function jsonOf(body: AnswerBody): string {
  switch (body.type) {
    case "object":
      return encodedObject(body.resource, body.object);
    case "list":
      return [...encodedList(body)].join("").trimEnd();
    case "value":
    case "text":
    case "watch":
      return JSON.stringify(valueOf(body));
  }
}

/**
 * Encodes an event once for all watchers: they receive it one after the other, so keeping the last object
 * is enough.
 */
export class EventEncoder {
  #lastObject: unknown;
  #frames = new Map<string, Buffer>();

  encode(plan: WatchPlan, signal: WatchSignal): Buffer {
    if (signal.type === "ERROR" || signal.type === "BOOKMARK" || plan.shape !== undefined) {
      const object = signal.type === "ERROR" ? signal.object : eventObject(plan, signal);
      return frame(signal.type, JSON.stringify(object));
    }
    if (signal.object !== this.#lastObject) {
      this.#lastObject = signal.object;
      this.#frames = new Map();
    }
    const key = `${signal.type} ${plan.resource.group}/${plan.resource.version}`;
    const known = this.#frames.get(key);
    if (known !== undefined) return known;
    const made = frame(signal.type, encodedObject(plan.resource, signal.object));
    this.#frames.set(key, made);
    return made;
  }
}

function frame(type: string, object: string): Buffer {
  return Buffer.from(`{"type":"${type}","object":${object}}\n`, "utf8");
}
