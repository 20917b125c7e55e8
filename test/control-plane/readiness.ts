/** Waits until a program answers that it is ready, and fails at once when it ends instead. */
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import type { Child } from "./child.ts";

const lookAgainMs = 50;

export interface Probe {
  readonly url: string;
  /** A file that the program itself writes while it starts. */
  readonly caFile?: string;
  readonly token?: string;
}

export async function untilReady(
  child: Child,
  probe: Probe,
  { deadlineMs = 60_000, answer = "200" } = {},
): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  let last = "no answer yet";
  while (Date.now() < deadline) {
    if (!child.isRunning()) {
      throw new Error(`${child.name} ended while starting; its log says:\n${child.tail()}`);
    }
    try {
      last = await ask(probe);
      if (last === answer) return;
    } catch (error) {
      last = String(error);
    }
    await delay(lookAgainMs);
  }
  throw new Error(
    `${child.name} is not ready after ${deadlineMs / 1000} s (${last}); its log says:\n${child.tail()}`,
  );
}

function ask({ url, caFile, token }: Probe): Promise<string> {
  const isSecure = url.startsWith("https:");
  const options = {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    timeout: 5000,
    ...(isSecure && caFile === undefined ? { rejectUnauthorized: false } : {}),
    ...(caFile === undefined ? {} : { ca: readFileSync(caFile) }),
  };
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)(url, options, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    request.on("timeout", () => request.destroy(new Error("timed out")));
    request.on("error", reject);
    request.end();
  });
}
