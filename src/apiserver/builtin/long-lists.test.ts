/** Lists in a pod that are as long as a body allows: work on them grows with their length, not with its square. */
import { afterEach, expect, test } from "vitest";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import type { ApiServer } from "../api-server.ts";
import { createApiServer } from "../api-server.ts";
import { builtinResources } from "../catalogue/builtin-resources.ts";

const count = 40_000;
const many = <T>(item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
const ports = many((index) => ({
  containerPort: index + 1,
  hostPort: index + 1,
  protocol: "TCP",
  name: `p${index}`,
}));
const container = { name: "c", image: "i" };

const specs: Record<string, object> = {
  "ports of a container": { containers: [{ ...container, ports }] },
  "variables of a container": {
    containers: [{ ...container, env: many((index) => ({ name: `E${index}`, value: "x" })) }],
  },
  "volumes and their mounts": {
    volumes: many((index) => ({ name: `v${index}` })),
    containers: [
      { ...container, volumeMounts: many((at) => ({ name: `v${at}`, mountPath: `/${at}` })) },
    ],
  },
  // Half as many: more are too large to be kept.
  containers: {
    containers: many((index) => ({ name: `c${index}`, image: "i" })).slice(0, count / 2),
  },
};

let server: ApiServer | undefined;
afterEach(() => server?.stop());

/** What this process works, whatever else the machine does. */
async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const path = "/api/v1/namespaces/default/pods";
const create = (spec: object) =>
  server!.transport.request({ method: "POST", path, body: { metadata: { name: "a" }, spec } });

test.each(Object.entries(specs))(
  "forty thousand %s, or as many as an object holds",
  async (_what, spec) => {
    server = createApiServer({ clock: new VirtualClock(), resources: builtinResources() });
    let status = 0;
    const seconds = await cpuSeconds(async () => ({ status } = await create(spec)));
    expect(status).toBe(201);
    // More than twice that if each were compared with each.
    expect(seconds).toBeLessThan(4);
  },
);

const tolerations = many((index) => ({ key: `k${index}`, operator: "Exists" }));

const patches: Record<string, readonly [given: object, patch: object]> = {
  "ports of a container": [
    { containers: [{ ...container, ports }] },
    { containers: [{ name: "c", image: "j", ports }] },
  ],
  "tolerations of a pod": [
    { containers: [container], tolerations },
    { containers: [{ name: "c", image: "j" }] },
  ],
};

test.each(Object.entries(patches))("a patch of forty thousand %s", async (_what, [given, spec]) => {
  server = createApiServer({ clock: new VirtualClock(), resources: builtinResources() });
  await create(given);
  const body = { spec };
  const contentType = "application/strategic-merge-patch+json";
  const request = { method: "PATCH", path: `${path}/a`, body, contentType } as const;
  let status = 0;
  const seconds = await cpuSeconds(
    async () => ({ status } = await server!.transport.request(request)),
  );
  expect(status).toBe(200);
  expect(seconds).toBeLessThan(4);
});
