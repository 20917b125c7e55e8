import { expect, test } from "vitest";
import type { Status } from "../api/status.ts";
import { ApiError } from "../api/status.ts";
import { operatorMetrics } from "./metrics.ts";
import { describeCall } from "./request-name.ts";
import type { TransportRequest } from "./transport.ts";
import { atLeastOne } from "../../test/builders/must.ts";

const calls: Record<string, { request: TransportRequest; want: string }> = {
  "a list across namespaces": {
    request: { method: "GET", path: "/api/v1/pods" },
    want: "list pods",
  },
  "a watch is distinguished from a list": {
    request: { method: "GET", path: "/apis/apps/v1/statefulsets", query: { watch: "true" } },
    want: "watch statefulsets",
  },
  "one namespace is a resource of its own": {
    request: { method: "GET", path: "/api/v1/namespaces/default" },
    want: "get namespaces",
  },
  "a subresource is named": {
    request: { method: "PUT", path: "/apis/apps/v1/namespaces/a/statefulsets/web/status" },
    want: "update statefulsets/status",
  },
};

test.each(Object.entries(calls))("%s", (_sentence, { request, want }) => {
  const { verb, resource } = describeCall(request);
  expect(`${verb} ${resource}`).toBe(want);
});

test("calls are counted by code, lost ones too", async () => {
  const metrics = operatorMetrics();
  let fail = false;
  const transport = metrics.count({
    request: () =>
      fail
        ? Promise.reject(new Error("lost"))
        : Promise.resolve({ status: 409, warnings: [], body: {} }),
    stream: () => Promise.resolve(),
  });
  const request: TransportRequest = { method: "POST", path: "/api/v1/namespaces/a/pods" };
  await transport.request(request);
  fail = true;
  await expect(transport.request(request)).rejects.toThrow("lost");
  const text = await metrics.registry.getSingleMetricAsString("lockstep_api_calls_total");
  expect(text).toContain('lockstep_api_calls_total{verb="create",resource="pods",code="409"} 1');
  expect(text).toContain('lockstep_api_calls_total{verb="create",resource="pods",code="none"} 1');
});

const rbac =
  'pods is forbidden: User "system:serviceaccount:lockstep-system:lockstep" cannot create resource "pods"';
const forbidden: Record<string, { message: string; code: number; want: string }> = {
  "a missing right is counted as denied": { message: rbac, code: 403, want: " 1" },
  "a quota is not": {
    message: 'pods "web-0" is forbidden: exceeded quota: gpus, requested: pods=1',
    code: 403,
    want: "",
  },
  "a right that a webhook says is missing has another code": {
    message: rbac,
    code: 400,
    want: "",
  },
};

test.each(Object.entries(forbidden))("%s", async (_sentence, { message, code, want }) => {
  const metrics = operatorMetrics();
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    reason: "Forbidden",
    message,
    code,
  };
  const transport = metrics.count({
    request: () => Promise.resolve({ status: code, warnings: [], body: status }),
    stream: () => Promise.reject(new ApiError(status)),
  });
  const path = "/api/v1/namespaces/a/pods";
  await transport.request({ method: "POST", path });
  await expect(
    transport.stream({ method: "GET", path, query: { watch: "true" } }, () => undefined),
  ).rejects.toThrow(message);
  const text = await metrics.registry.getSingleMetricAsString("lockstep_api_denied_total");
  const series = ["create", "watch"].map(
    (verb) => `lockstep_api_denied_total{verb="${verb}",resource="pods"}${want}`,
  );
  for (const each of atLeastOne(series)) expect(text.includes(each)).toBe(want !== "");
});

test("a controller's queue, its reconciles, its lag and its caches are reported under stable names", async () => {
  const metrics = operatorMetrics();
  const observer = metrics.observe("widgets");
  observer.depth?.(3);
  observer.waited?.("a", 20);
  observer.retried?.("a", 50);
  observer.caughtUp?.("a", 200);
  observer.reconciled?.("a", { durationMs: 5 });
  observer.reconciled?.("a", { durationMs: 5, error: new Error("no") });
  const gauge = metrics.gauge("widget_size", "How large a widget is.", ["name"]);
  gauge.set({ name: "a" }, 4);
  gauge.set({ name: "b" }, 5);
  gauge.remove({ name: "a" });
  const lines = (await metrics.registry.metrics()).split("\n");
  for (const line of [
    'lockstep_queue_depth{controller="widgets"} 3',
    'lockstep_queue_wait_seconds_count{controller="widgets"} 1',
    'lockstep_queue_retries_total{controller="widgets"} 1',
    'lockstep_cache_lag_seconds_sum{controller="widgets"} 0.2',
    'lockstep_reconcile_seconds_count{controller="widgets"} 2',
    'lockstep_reconcile_errors_total{controller="widgets"} 1',
    'widget_size{name="b"} 5',
  ]) {
    expect(lines).toContain(line);
  }
  expect(lines.filter((line) => line.startsWith('widget_size{name="a"'))).toEqual([]);
});
