/** The StatefulSet controller that a cluster has itself where Lockstep assists it: ours in full mode plays it. */
import type { Transport } from "../runtime/transport.ts";

/** It leaves updates under OnDelete to others, and writes no conditions. */
export function withoutConditions(transport: Transport): Transport {
  return {
    request(request) {
      const body = request.body as { status?: { conditions?: unknown } } | undefined;
      if (request.method !== "PATCH" || body?.status?.conditions === undefined)
        return transport.request(request);
      const { conditions: _ours, ...status } = body.status;
      return transport.request({ ...request, body: { ...body, status } });
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  };
}
