/** Records what is asked of an API server in the terms of a role: verb, group and resource. */
import type { Access } from "../../src/controllers/engine/kind-definition.ts";
import { describeCall } from "../../src/runtime/request-name.ts";
import type { Transport, TransportRequest } from "../../src/runtime/transport.ts";

export interface Requests {
  readonly transport: Transport;
  /** `patch grove.io/podcliques/status`. */
  readonly made: Set<string>;
  /** Of every watch that was opened, with its selector. */
  readonly watches: string[];
  /** How many watches are open now. */
  readonly open: () => number;
}

export function recordRequests(transport: Transport): Requests {
  const made = new Set<string>();
  const watches: string[] = [];
  let open = 0;
  return {
    made,
    watches,
    open: () => open,
    transport: {
      request(request) {
        made.add(textOf(request));
        return transport.request(request);
      },
      async stream(request, onEvent) {
        made.add(textOf(request));
        watches.push(`${resourceOf(request)}?${request.query?.["labelSelector"] ?? ""}`);
        open++;
        return transport.stream(request, onEvent).finally(() => open--);
      },
    },
  };
}

function resourceOf(request: TransportRequest): string {
  const [, root, group = ""] = request.path.split("/");
  return `${root === "api" ? "" : group}/${describeCall(request).resource}`;
}

const textOf = (request: TransportRequest): string =>
  `${describeCall(request).verb} ${resourceOf(request)}`;

/** The same texts for what a role allows. */
export const allowedBy = (access: readonly Access[]): string[] =>
  access.flatMap(({ resource, subresource, verbs }) =>
    verbs.map((verb) => {
      const below = subresource === undefined ? "" : `/${subresource}`;
      return `${verb} ${resource.group}/${resource.plural}${below}`;
    }),
  );
