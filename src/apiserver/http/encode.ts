/** Answers and watch events as bytes. */
import { stringify } from "yaml";
import { apiVersionOf } from "../../api/resource.ts";
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
    return { contentType: "application/yaml", text: stringify(valueOf(body)) };
  }
  const contentType = answer.contentType ?? "application/json";
  const text = format === "pretty" ? JSON.stringify(valueOf(body), null, 2) : jsonOf(body);
  return { contentType, text: `${text}\n` };
}

function jsonOf(body: AnswerBody): string {
  switch (body.type) {
    case "object":
      return encodedObject(body.resource, body.object);
    case "list": {
      const { resource, objects, metadata } = body;
      const type = `"kind":"${resource.listKind}","apiVersion":"${apiVersionOf(resource)}"`;
      const items = objects.map((object) => encodedItem(resource, object)).join(",");
      return `{${type},"metadata":${JSON.stringify(metadata)},"items":[${items}]}`;
    }
    case "value":
    case "text":
    case "watch":
      return JSON.stringify(valueOf(body));
  }
}

/**
 * Encodes events of a change once for all watchers: they are told one after the other, so remembering
 * the last object is enough.
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
