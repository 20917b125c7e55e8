/** Reads a watch line by line, each within a deadline, so that no test ever sleeps. */
import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import type { Json } from "./json.ts";
import { metadataOf } from "./json.ts";

export interface WatchLine {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: Json;
}

export interface WatchStream {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** The next line; `undefined` when the server has ended the stream. */
  next(deadlineMs?: number): Promise<WatchLine | undefined>;
  /** Reads until a line fits; fails if the stream ends first. */
  until(fits: (line: WatchLine) => boolean, deadlineMs?: number): Promise<WatchLine>;
  /** Everything up to the end of the stream. */
  rest(deadlineMs?: number): Promise<WatchLine[]>;
  close(): void;
}

/** `ADDED web-0`: what most tests compare. */
export function sketch(line: WatchLine | undefined): string {
  if (line === undefined) return "END";
  return `${line.type} ${metadataOf(line.object).name ?? ""}`.trim();
}

export function watchStream(response: IncomingMessage): WatchStream {
  const lines = createInterface({ input: response })[Symbol.asyncIterator]();
  response.on("error", () => response.destroy());

  async function next(deadlineMs = 20_000): Promise<WatchLine | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const complain = (): void => reject(new Error(`no watch line within ${deadlineMs} ms`));
      timer = setTimeout(complain, deadlineMs);
    });
    try {
      const { value, done } = await Promise.race([lines.next(), late]);
      return done === true ? undefined : (JSON.parse(value) as WatchLine);
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    async until(fits, deadlineMs) {
      for (;;) {
        const line = await next(deadlineMs);
        if (line === undefined) throw new Error("the watch ended before the awaited line");
        if (fits(line)) return line;
      }
    },
    async rest(deadlineMs) {
      const all: WatchLine[] = [];
      for (let line = await next(deadlineMs); line; line = await next(deadlineMs)) all.push(line);
      return all;
    },
    close: () => response.destroy(),
  };
}
