import { afterEach, expect, test } from "vitest";
import { VirtualClock } from "../../runtime/virtual-clock.ts";
import type { ApiServer } from "../api-server.ts";
import { createApiServer } from "../api-server.ts";
import { builtinResources } from "../catalogue/builtin-resources.ts";

const minute = 60_000;
const path = "/api/v1/namespaces/default/events";
const event = (name: string): object => ({
  metadata: { name },
  involvedObject: { kind: "Pod", name: "p", namespace: "default" },
});

let server: ApiServer | undefined;
afterEach(() => server?.stop());

test("an event is gone an hour after it was last written", async () => {
  const clock = new VirtualClock();
  server = createApiServer({ clock, resources: builtinResources() });
  const { transport } = server;
  const names = async (): Promise<unknown> => {
    const { body } = await transport.request({ method: "GET", path });
    return (body as { items: { metadata: { name: string } }[] }).items.map(
      (item) => item.metadata.name,
    );
  };
  await transport.request({ method: "POST", path, body: event("once") });
  await transport.request({ method: "POST", path, body: event("again") });
  await clock.runFor(30 * minute);
  await transport.request({
    method: "PUT",
    path: `${path}/again`,
    body: { ...event("again"), count: 2 },
  });
  await clock.runFor(29 * minute);
  expect(await names()).toEqual(["again", "once"]);
  await clock.runFor(minute);
  expect(await names()).toEqual(["again"]);
  await clock.runFor(30 * minute);
  expect(await names()).toEqual([]);
});
