/** What a role allows from a kind's definition is enough for its controller, and no more than it uses. */
import { beforeAll, expect, test } from "vitest";
import { createApiServer } from "../../src/apiserver/api-server.ts";
import { builtinResources } from "../../src/apiserver/catalogue/builtin-resources.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import { SharedCaches } from "../../src/controllers/engine/shared-caches.ts";
import { kinds } from "../../src/controllers/kinds.ts";
import { restClient } from "../../src/runtime/rest-client.ts";
import type { Transport } from "../../src/runtime/transport.ts";
import { VirtualClock } from "../../src/runtime/virtual-clock.ts";
import { startCluster } from "../../src/sim/cluster.ts";
import { refused } from "../builders/memory-server.ts";
import { statefulSetController } from "../../src/controllers/statefulset/index.ts";
import { liveWithGroups } from "./access-groups-story.ts";
import { liveAssisted, liveThrough } from "./access-story.ts";
import type { Requests } from "./requests.ts";
import { allowedBy, recordRequests } from "./requests.ts";
import { withoutConditions } from "../../src/sim/cluster-stateful-sets.ts";

/** By kind, and its mode where there are several. */
const requests = new Map<string, Requests>();

/** Written by the operator whatever kinds it runs. */
const eventWrites = ["create /events", "patch /events"];

const runs = kinds.flatMap((kind) =>
  (kind.modes.length === 0 ? [undefined] : kind.modes).map((mode) => ({ kind, mode })),
);
type Run = (typeof runs)[number];
const nameOf = ({ kind, mode }: Run): string =>
  mode === undefined ? kind.name : `${kind.name} ${mode}`;

/** Refuses the first delete, and the first create, of every resource: whoever is refused has to look. */
function refusingOnce(transport: Transport): Transport {
  const known = new Set<string>();
  return {
    ...transport,
    request(request) {
      const { method, path } = request;
      const collection = method === "DELETE" ? path.slice(0, path.lastIndexOf("/")) : path;
      const what = `${method} ${collection}`;
      const isFirst = (method === "DELETE" || method === "POST") && !known.has(what);
      // A claim that could not be created is asked for again after minutes only.
      const isSpared = /^POST .*[/](events|resourceclaims)$/.test(what);
      if (!isFirst || isSpared) return transport.request(request);
      known.add(what);
      const body = refused(409, method === "DELETE" ? "Conflict" : "AlreadyExists");
      return Promise.resolve({ status: 409, warnings: [], body });
    },
    stream: (request, onEvent) => transport.stream(request, onEvent),
  };
}

/** Each kind has a connection and caches of its own, so that a request shows who made it. */
async function stage(controllers: readonly Run[]) {
  const clock = new VirtualClock();
  const server = createApiServer({ clock, resources: builtinResources() });
  const { client, transport } = server;
  await installDefinitions(client);
  await startCluster({ client, clock, nodes: 16, gangs: true });
  for (const run of controllers) {
    const recorded = recordRequests(refusingOnce(transport));
    requests.set(nameOf(run), recorded);
    const options = { client: restClient(recorded.transport), clock };
    const context = {
      ...options,
      caches: new SharedCaches(options),
      mode: run.mode,
      gangSchedulers: [],
    };
    void run.kind.controller(context).start();
  }
  const pass = (seconds: number): Promise<void> => clock.runFor(seconds * 1000);
  return { client, clock, transport, pass, hasDevices: true };
}

const isAssist = ({ mode }: Run): boolean => mode === "assist";

beforeAll(async () => {
  const full = await stage(runs.filter((run) => !isAssist(run)));
  await liveThrough(full);
  await liveWithGroups(full);
  const assisted = await stage(runs.filter(isAssist));
  const client = restClient(withoutConditions(assisted.transport));
  await statefulSetController({ client, clock: assisted.clock, mode: "full" }).start();
  await liveAssisted(assisted);
}, 300_000);

test.each(runs.map((run) => [nameOf(run), run] as const))(
  "OP9 %s asks for nothing that its definition does not name",
  (name, { kind, mode }) => {
    const made = [...requests.get(name)!.made];
    expect(made.length).toBeGreaterThan(2 * kind.watches.length);
    const allowed = new Set([...allowedBy(kind.access(mode)), ...eventWrites]);
    expect(made.filter((request) => !allowed.has(request))).toEqual([]);
  },
);

/** Asked of the server by its admission, for owner references; no request shows it. */
const isUnseen = (text: string): boolean => text.endsWith("/finalizers");

test("OP9 the roles allow nothing that no controller used", () => {
  const made = new Set([...requests.values()].flatMap((each) => [...each.made]));
  const allowed = new Set(runs.flatMap(({ kind, mode }) => allowedBy(kind.access(mode))));
  expect([...allowed].filter((text) => !made.has(text) && !isUnseen(text))).toEqual([]);
});
