/** Requests that wait: for the rate that was asked for, and for a server that turned them away. */
import { expect, test } from "vitest";
import { ApiError } from "../api/status.ts";
import { refused } from "../../test/builders/memory-server.ts";
import { pacedTransport } from "./paced-transport.ts";
import type { PaceOptions } from "./paced-transport.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
import { VirtualClock } from "./virtual-clock.ts";

const busy = (retryAfterSeconds?: number): TransportResponse => ({
  status: 429,
  warnings: [],
  body: refused(429, "TooManyRequests"),
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});
const fine: TransportResponse = { status: 200, warnings: [], body: {} };
const request: TransportRequest = { method: "DELETE", path: "/api/v1/namespaces/a/pods/b" };

function paced(answers: TransportResponse[], options: Partial<PaceOptions> = {}) {
  const clock = new VirtualClock();
  const startMs = clock.now();
  const sentAt: number[] = [];
  const wire: Transport = {
    request: () => {
      sentAt.push(clock.now() - startMs);
      return Promise.resolve(answers.shift() ?? fine);
    },
    stream: () => {
      sentAt.push(clock.now() - startMs);
      const answer = answers.shift();
      if (answer === undefined) return Promise.resolve();
      const { retryAfterSeconds } = answer;
      const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
      return Promise.reject(new ApiError({ ...refused(answer.status, "refused"), ...details }));
    },
  };
  const transport = pacedTransport(wire, { clock, random: () => 0, ...options });
  return { clock, transport, sentAt };
}

const ended = async (clock: VirtualClock, work: Promise<unknown>): Promise<unknown> => {
  let end: unknown = "still waiting";
  void work.then(
    (value) => (end = value),
    (error: unknown) => (end = error),
  );
  await clock.runUntilIdle();
  return end;
};

test.each([
  ["a time in a header", [busy(7)], [0, 7_000]],
  ["no time", [busy()], [0, 1_000]],
  ["a time that would silence an operator for an hour", [busy(3_600)], [0, 60_000]],
  ["503 with a time", [{ ...busy(3), status: 503 }], [0, 3_000]],
])("OP7 a request that is turned away with %s is sent again", async (_name, answers, times) => {
  const { clock, transport, sentAt } = paced(answers);
  expect(await ended(clock, transport.request(request))).toBe(fine);
  expect(sentAt).toEqual(times);
});

test("OP7 a watch that is turned away is opened again", async () => {
  const { clock, transport, sentAt } = paced([busy(5)]);
  await ended(
    clock,
    transport.stream({ ...request, method: "GET" }, () => undefined),
  );
  expect(sentAt).toEqual([0, 5_000]);
});

test("OP7 what may have been processed is not sent twice", async () => {
  const failed = { ...fine, status: 503 };
  const { clock, transport, sentAt } = paced([failed]);
  expect(await ended(clock, transport.request(request))).toBe(failed);
  expect(sentAt).toEqual([0]);
});

test("OP7 those who were turned away together do not come back together", async () => {
  const draws = [0.1, 0.9];
  const { clock, transport, sentAt } = paced([busy(10), busy(10)], {
    random: () => draws.shift() ?? 0,
  });
  const both = Promise.all([transport.request(request), transport.request(request)]);
  await ended(clock, both);
  expect(sentAt).toEqual([0, 0, 10_500, 14_500]);
});

test("OP7 after ten attempts the refusal is reported", async () => {
  const { clock, transport, sentAt } = paced(Array.from({ length: 20 }, () => busy(1)));
  expect(await ended(clock, transport.request(request))).toMatchObject({ status: 429 });
  expect(sentAt).toHaveLength(10);
});

test("OP7 a rate holds in the long run, and a rest allows a burst", async () => {
  const { clock, transport, sentAt } = paced([], { qps: 2, burst: 3 });
  const many = (count: number): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, () => transport.request(request)));
  await ended(clock, many(5));
  expect(sentAt).toEqual([0, 0, 0, 500, 1_000]);
  await clock.runFor(60_000);
  sentAt.length = 0;
  const restedMs = 61_000;
  await ended(clock, many(4));
  expect(sentAt.map((atMs) => atMs - restedMs)).toEqual([0, 0, 0, 500]);
});

test("OP7 a request that may not wait is turned away at once", async () => {
  const { clock, transport, sentAt } = paced([busy(7)]);
  const answer = await ended(clock, transport.request({ ...request, isTimely: true }));
  expect(answer).toMatchObject({ status: 429 });
  expect(sentAt).toEqual([0]);
});
