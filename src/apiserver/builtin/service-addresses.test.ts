import { expect, test } from "vitest";
import { fieldErrorsText } from "../../api/field-error.ts";
import { allocateAddresses } from "./service-addresses.ts";
import type { Service, ServiceSpec } from "./service-types.ts";

const service = (spec: ServiceSpec): Service => ({ metadata: { name: "x" }, spec });
const port = (nodePort?: number) => ({
  port: 80,
  protocol: "TCP",
  ...(nodePort === undefined ? {} : { nodePort }),
});

test("a service gets the lowest free address", () => {
  const first = service({ type: "ClusterIP" });
  const second = service({ type: "ClusterIP" });
  expect(allocateAddresses(first, [])).toEqual([]);
  expect(allocateAddresses(second, [first])).toEqual([]);
  expect(first.spec.clusterIPs).toEqual(["10.0.0.17"]);
  expect(second.spec).toMatchObject({ clusterIP: "10.0.0.18", clusterIPs: ["10.0.0.18"] });
});

test("headless and external services get none", () => {
  for (const spec of [{ type: "ExternalName" }, { clusterIP: "None", clusterIPs: ["None"] }]) {
    const draft = service({ ...spec });
    expect(allocateAddresses(draft, [])).toEqual([]);
    expect(draft.spec).toEqual(spec);
  }
});

test("node ports are unique per protocol", () => {
  const taken = service({ type: "NodePort", ports: [port(30_086)] });
  const draft = service({ type: "NodePort", ports: [port(), { ...port(), protocol: "UDP" }] });
  expect(allocateAddresses(draft, [taken])).toEqual([]);
  expect(draft.spec.ports?.map((each) => each.nodePort)).toEqual([30_087, 30_086]);
});

test("a full range says so", () => {
  const all = Array.from({ length: 254 }, (_, index) =>
    service({ type: "ClusterIP", clusterIPs: [`10.0.0.${index + 1}`] }),
  );
  expect(fieldErrorsText(allocateAddresses(service({ type: "ClusterIP" }), all))).toContain(
    "range is full",
  );
});

/** Texts of a real server. */
test.each([
  [
    { clusterIP: "10.0.0.1" },
    'spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: provided IP is already allocated',
  ],
  [
    { clusterIP: "10.9.0.1" },
    'spec.clusterIPs: Invalid value: ["10.9.0.1"]: failed to allocate IP 10.9.0.1: ' +
      "the provided network does not match the current range",
  ],
  [
    { ports: [port(30_000)] },
    "spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated",
  ],
  [
    { ports: [port(80)] },
    "spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. " +
      "The range of valid ports is 30000-32767",
  ],
])("%j cannot be had", (spec, want) => {
  const others = [
    service({ clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"], ports: [port(30_000)] }),
  ];
  const draft = service({ type: "NodePort", ...spec });
  expect(fieldErrorsText(allocateAddresses(draft, others))).toBe(want);
});
