/** Tables of ResourceClaims and their templates. */
import type { KubeObject } from "../../api/object.ts";
import { age, name, printer, shown } from "./columns.ts";

interface DeviceClaim extends KubeObject {
  readonly status?: { readonly allocation?: unknown; readonly reservedFor?: readonly unknown[] };
}

function stateOf({ metadata, status }: DeviceClaim): string {
  const isAllocated = status?.allocation !== undefined;
  const states = [
    ...(metadata.deletionTimestamp === undefined ? [] : ["deleted"]),
    ...(isAllocated ? ["allocated"] : []),
    ...((status?.reservedFor ?? []).length > 0 ? ["reserved"] : []),
  ];
  return states.length === 0 ? "pending" : states.join(",");
}

export const deviceClaimPrinter = printer<DeviceClaim>(
  name,
  shown("State", "Whether devices were found for it and pods use them.", stateOf),
  age,
);

export const deviceClaimTemplatePrinter = printer<KubeObject>(name, age);
