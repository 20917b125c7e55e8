/** The system clock, optionally running faster: at speed 10 a simulated minute takes six seconds. */
import type { Clock } from "./clock.ts";

/** The longest delay that Node.js timers take; longer ones would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** A lease is renewed every two seconds, and each renewal takes several turns. */
const longestTurnMs = 50;

export function systemClock(speed = 1): Clock {
  const started = Date.now();
  let pausedAtMs = performance.now();
  return {
    now: () => started + Math.round((Date.now() - started) * speed),
    monotonic: () => performance.now() * speed,
    after(delayMs, task) {
      const timer = setTimeout(task, Math.min(Math.max(0, delayMs) / speed, longestTimerMs));
      return { cancel: () => clearTimeout(timer) };
    },
    pause() {
      if (performance.now() - pausedAtMs < longestTurnMs) return undefined;
      return new Promise((resolve) => {
        setImmediate(() => {
          pausedAtMs = performance.now();
          resolve();
        });
      });
    },
  };
}
