import { expect, test } from "vitest";
import { selectableFieldsOf } from "./selectable-fields.ts";

test("fields of a bare pod are all there, flags read false", () => {
  expect(selectableFieldsOf("pods")?.({ metadata: {} })).toEqual({
    "spec.nodeName": "",
    "spec.restartPolicy": "",
    "spec.schedulerName": "",
    "spec.serviceAccountName": "",
    "spec.hostNetwork": "false",
    "status.phase": "",
    "status.podIP": "",
    "status.nominatedNodeName": "",
  });
});

test("an event's source is its component, else its reporter", () => {
  const fields = selectableFieldsOf("events");
  expect(fields?.({ metadata: {}, source: { component: "a" } })["source"]).toBe("a");
  expect(fields?.({ metadata: {}, source: {}, reportingComponent: "b" })["source"]).toBe("b");
});

test("most kinds have no fields of their own", () => {
  expect(selectableFieldsOf("configmaps")).toBeUndefined();
});
