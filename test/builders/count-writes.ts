/** Counts what an operator itself writes, by verb and resource. */
import { describeCall } from "../../src/runtime/metrics.ts";
import type { Transport } from "../../src/runtime/transport.ts";

export function countWrites() {
  const writes: Record<string, number> = {};
  const count = (transport: Transport): Transport => ({
    ...transport,
    request(request) {
      const { verb, resource } = describeCall(request);
      const what = `${verb} ${resource}`;
      if (request.method !== "GET") writes[what] = (writes[what] ?? 0) + 1;
      return transport.request(request);
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  });
  return { writes, count };
}
