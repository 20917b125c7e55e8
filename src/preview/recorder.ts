/** Records what the controllers write, as people name it. */
import type { KubeObject } from "../api/object.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeCall } from "../runtime/request-name.ts";
import type { Transport, TransportRequest } from "../runtime/transport.ts";

export interface RecordedWrite {
  readonly atMs: number;
  readonly verb: "create" | "delete" | "update" | "patch";
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  /** Where the write itself says why, and not the workload. */
  readonly reason?: string;
}

/**
 * Events and leases say what happens; they are no part of it. Statuses follow from the rest. Pods and
 * PlacementDecisions are followed themselves: the garbage collector deletes some of them, and a status may matter.
 */
const isRecorded = (resource: string): boolean =>
  !["events", "leases", "pods", "placementdecisions"].includes(resource) && !resource.includes("/");

const writing: ReadonlySet<string> = new Set(["create", "delete", "update", "patch"]);

export class WriteRecorder {
  #writes: RecordedWrite[] = [];

  /** Forgets what was recorded so far and returns it. */
  take(): readonly RecordedWrite[] {
    const writes = this.#writes;
    this.#writes = [];
    return writes;
  }

  /** The same transport; what it carries out is recorded. */
  record(transport: Transport, clock: Clock): Transport {
    return {
      stream: (request, onEvent) => transport.stream(request, onEvent),
      request: async (request) => {
        const answer = await transport.request(request);
        const write = answer.status < 300 ? writeOf(request, clock.now()) : undefined;
        if (write !== undefined) this.#writes.push(write);
        return answer;
      },
    };
  }
}

function writeOf(request: TransportRequest, atMs: number): RecordedWrite | undefined {
  const { verb, resource, object } = describeCall(request);
  if (!writing.has(verb) || !isRecorded(resource)) return undefined;
  const [first = "", second] = object.split("/");
  const created = (request.body as KubeObject | undefined)?.metadata?.name;
  const name = verb === "create" ? (created ?? "") : (second ?? first);
  const isNamespaced = verb === "create" ? first !== "" : second !== undefined;
  return {
    atMs,
    verb: verb as RecordedWrite["verb"],
    resource,
    ...(isNamespaced ? { namespace: first } : {}),
    name,
  };
}
