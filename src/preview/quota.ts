/** ResourceQuotas in a copy: pods beyond them are refused, in the words of the real API server. */
import type { KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import { isFinished, podResource } from "../api/pod.ts";
import type { Amounts } from "../api/pod-requests.ts";
import { amountsOf, podRequests } from "../api/pod-requests.ts";
import type { Resource } from "../api/resource.ts";
import type { Client } from "../runtime/client.ts";
import type { Transport, TransportRequest, TransportResponse } from "../runtime/transport.ts";

export const quotaResource: Resource = {
  group: "",
  version: "v1",
  plural: "resourcequotas",
  kind: "ResourceQuota",
  namespaced: true,
};

interface ResourceQuota extends KubeObject {
  readonly spec?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: object;
  };
}

const podNames: ReadonlySet<string> = new Set(["pods", "count/pods"]);
/** Short names of requests. */
const plainNames: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

/** How much of a quota one pod takes. Limits are not counted. */
function costOf(name: string, requests: Amounts): number {
  if (podNames.has(name)) return 1;
  if (plainNames.has(name)) return requests.get(name) ?? 0;
  return name.startsWith("requests.") ? (requests.get(name.slice("requests.".length)) ?? 0) : 0;
}

export class Quotas {
  readonly #quotas: readonly ResourceQuota[];
  /** Requests of every pod that is there or was let through, by namespace and name. */
  readonly #pods = new Map<string, { readonly namespace: string; readonly requests: Amounts }>();

  /** A quota with scopes is about some pods only: which ones is not known here, so it refuses nothing. */
  constructor(quotas: readonly KubeObject[]) {
    this.#quotas = (quotas as readonly ResourceQuota[]).filter(
      ({ spec }) => (spec?.scopes ?? []).length === 0 && spec?.scopeSelector === undefined,
    );
  }

  /** Counts the pods of the copy until the signal ends it. */
  follow(client: Client, signal: AbortSignal): void {
    if (this.#quotas.length === 0) return;
    void client.watch<Pod>(podResource, { resourceVersion: "0", signal }, (event) => {
      if (event.type === "BOOKMARK" || event.type === "ERROR") return;
      const { namespace = "", name } = event.object.metadata;
      const key = `${namespace}/${name}`;
      if (event.type === "DELETED" || isFinished(event.object)) this.#pods.delete(key);
      else this.#pods.set(key, { namespace, requests: podRequests(event.object) });
    });
  }

  /** The same transport; pods that exceed a quota are refused. */
  guard(transport: Transport): Transport {
    if (this.#quotas.length === 0) return transport;
    return {
      stream: (request, onEvent) => transport.stream(request, onEvent),
      request: (request) => {
        const refusal = this.#refusal(request);
        return refusal === undefined ? transport.request(request) : Promise.resolve(refusal);
      },
    };
  }

  #refusal({ method, path, body }: TransportRequest): TransportResponse | undefined {
    const namespace = /^\/api\/v1\/namespaces\/([^/]+)\/pods$/.exec(path)?.[1];
    if (method !== "POST" || namespace === undefined) return undefined;
    const pod = body as Pod;
    const requests = podRequests(pod);
    for (const quota of this.#quotas) {
      if (quota.metadata.namespace !== namespace) continue;
      const problem = this.#exceeded(quota, namespace, requests);
      if (problem !== undefined) return forbidden(pod.metadata.name ?? "", problem);
    }
    this.#pods.set(`${namespace}/${pod.metadata.name}`, { namespace, requests });
    return undefined;
  }

  #exceeded({ metadata, spec }: ResourceQuota, namespace: string, requests: Amounts) {
    for (const [name, text] of Object.entries(spec?.hard ?? {})) {
      const cost = costOf(name, requests);
      if (cost === 0) continue;
      const plain = name.replace(/^requests\./, "");
      const hard = amountsOf({ [plain]: text }).get(plain) ?? 0;
      const used = [...this.#pods.values()]
        .filter((each) => each.namespace === namespace)
        .reduce((sum, each) => sum + costOf(name, each.requests), 0);
      if (used + cost <= hard) continue;
      const shown = (amount: number): string => (plain === "cpu" ? `${amount}m` : `${amount}`);
      return (
        `exceeded quota: ${metadata.name}, requested: ${name}=${shown(cost)}, ` +
        `used: ${name}=${shown(used)}, limited: ${name}=${text}`
      );
    }
    return undefined;
  }
}

function forbidden(name: string, problem: string): TransportResponse {
  const message = `pods "${name}" is forbidden: ${problem}`;
  return {
    status: 403,
    warnings: [],
    body: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason: "Forbidden",
      details: { name, kind: "pods" },
      code: 403,
    },
  };
}
