/** Repeats a request until the answer fits, within a deadline: for what no watch reports. */
import { setTimeout as delay } from "node:timers/promises";

export async function eventually<T>(
  what: string,
  ask: () => Promise<T>,
  fits: (answer: T) => boolean,
  deadlineMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    if (Date.now() > deadline) {
      throw new Error(`${what}: not within ${deadlineMs} ms; last: ${JSON.stringify(answer)}`);
    }
    await delay(20);
  }
}
