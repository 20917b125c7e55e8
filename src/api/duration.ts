/** Lengths of time as Kubernetes writes them: `4h`, `1m30s`, `1.5h`. */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const part = /([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)/g;
const whole = /^[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|ms|s|m|h))+$/;

/** In milliseconds; undefined where the text is no length of time. */
export function durationMs(text: string): number | undefined {
  if (/^[-+]?0$/.test(text)) return 0;
  if (!whole.test(text)) return undefined;
  const sum = [...text.matchAll(part)].reduce(
    (total, [, amount, unit]) => total + Number(amount) * (unitMs[unit ?? ""] ?? 0),
    0,
  );
  return text.startsWith("-") ? -sum : sum;
}

/** As Go prints a Duration, cut to whole milliseconds as the kubelet does: `850ms`, `1.002s`, `2m40s`. */
export function goDuration(ms: number): string {
  const all = Math.trunc(ms);
  if (all === 0) return "0s";
  if (all < 1000) return `${all}ms`;
  const hours = Math.floor(all / 3_600_000);
  const minutes = Math.floor(all / 60_000) % 60;
  const seconds = `${(all % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
