/** Leases, events in both their groups, and the two formats of time. */
import { expect, test } from "vitest";
import { at, metadataOf, namesOf } from "../json.ts";
import type { Cluster } from "../scene.ts";
import { verdict } from "../verdict.ts";

const renewTime = "2026-01-02T03:04:05.678901Z";

export function leasesAndEvents(cluster: () => Cluster): void {
  test("a lease keeps its times to the microsecond", async () => {
    const { create } = await cluster().scene();
    const spec = { holderIdentity: "me", leaseDurationSeconds: 15, renewTime };
    const lease = await create("leases", { metadata: { name: "a" }, spec });
    expect(lease.spec).toEqual(spec);
  });

  test("PUT of a lease that is not there creates it", async () => {
    const { api, path } = await cluster().scene();
    const lease = { metadata: { name: "a" }, spec: { holderIdentity: "me", renewTime } };
    const created = await api.put(path("leases", "a"), lease);
    expect(created.status).toBe(201);
    expect(metadataOf(created.body).uid).toMatch(/-/);
    expect(verdict(await api.put(path("leases", "a"), lease))).toBe(
      '422 Invalid: leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: ' +
        "Invalid value: 0: must be specified for an update",
    );
  });

  test("a lease is acquired once by a client that has its version", async () => {
    const { api, path, create } = await cluster().scene();
    const lease = await create("leases", {
      metadata: { name: "a" },
      spec: { holderIdentity: "me" },
    });
    const taken = { ...lease, spec: { holderIdentity: "other" } };
    expect((await api.put(path("leases", "a"), taken)).status).toBe(200);
    expect(
      (await api.put(path("leases", "a"), { ...lease, spec: { holderIdentity: "third" } })).status,
    ).toBe(409);
  });

  test("an invalid time is refused", async () => {
    const { api, path } = await cluster().scene();
    const lease = { metadata: { name: "a" }, spec: { renewTime: "yesterday" } };
    expect(verdict(await api.post(path("leases"), lease))).toBe(
      '400 BadRequest: Lease in version "v1" cannot be handled as a Lease: parsing time ' +
        '"yesterday" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "yesterday" as "2006"',
    );
  });

  test("times of other kinds come back in whole seconds", async () => {
    const { api, path, create } = await cluster().scene();
    await create("pods", {
      metadata: { name: "a" },
      spec: { containers: [{ name: "m", image: "i" }] },
    });
    const patch = { status: { startTime: "2026-01-02T04:04:05+01:00" } };
    const { body } = await api.patch("merge", path("pods", "a", "status"), patch);
    expect(at(body, "status.startTime")).toBe("2026-01-02T03:04:05Z");
  });

  test("a core event is read in the new group, field by field", async () => {
    const { api, create, ns } = await cluster().scene();
    await create("events", {
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", name: "p", namespace: ns },
      reason: "Started",
      message: "it started",
      type: "Normal",
      count: 3,
      firstTimestamp: "2026-01-01T00:00:00Z",
      source: { component: "kubelet" },
    });
    const { status, body } = await api.get(`/apis/events.k8s.io/v1/namespaces/${ns}/events/e`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: "Event",
      apiVersion: "events.k8s.io/v1",
      regarding: { kind: "Pod", name: "p" },
      note: "it started",
      reason: "Started",
      type: "Normal",
      deprecatedCount: 3,
      deprecatedFirstTimestamp: "2026-01-01T00:00:00Z",
      deprecatedSource: { component: "kubelet" },
    });
  });

  test("an event of the new group is read as a core event", async () => {
    const { api, path, ns } = await cluster().scene();
    const created = await api.post(`/apis/events.k8s.io/v1/namespaces/${ns}/events`, {
      metadata: { name: "e" },
      regarding: { kind: "Pod", name: "p", namespace: ns },
      eventTime: renewTime,
      action: "Starting",
      reason: "Started",
      note: "it started",
      type: "Normal",
      reportingController: "lockstep.dev/test",
      reportingInstance: "test-1",
    });
    expect(created.status).toBe(201);
    const { body } = await api.get(path("events", "e"));
    expect(body).toMatchObject({
      kind: "Event",
      apiVersion: "v1",
      involvedObject: { kind: "Pod", name: "p" },
      message: "it started",
      eventTime: renewTime,
      reportingComponent: "lockstep.dev/test",
    });
  });

  test("an event of the new group needs its time and its reporter", async () => {
    const { api, ns } = await cluster().scene();
    const answer = await api.post(`/apis/events.k8s.io/v1/namespaces/${ns}/events`, {
      metadata: { name: "e" },
      regarding: { kind: "Pod", name: "p", namespace: ns },
      type: "Normal",
    });
    expect(verdict(answer)).toBe('422 Invalid: Event "e" is invalid: eventTime: Required value');
  });

  test("an event's count may be raised by a patch", async () => {
    const { api, path, create, ns } = await cluster().scene();
    await create("events", {
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", name: "p", namespace: ns },
      count: 1,
    });
    const { body } = await api.patch("strategic", path("events", "e"), { count: 2 });
    expect(body.count).toBe(2);
  });

  test("both groups list the same events", async () => {
    const { api, path, create, ns } = await cluster().scene();
    const involvedObject = { kind: "Pod", name: "p", namespace: ns };
    await create("events", { metadata: { name: "e" }, involvedObject });
    const group = await api.get(`/apis/events.k8s.io/v1/namespaces/${ns}/events`);
    expect(namesOf(group.body)).toEqual(namesOf((await api.get(path("events"))).body));
  });
}
