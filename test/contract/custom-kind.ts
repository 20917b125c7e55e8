/** Defines a custom kind for one test, and waits until the server serves it. */
import { eventually } from "./eventually.ts";
import type { Json } from "./json.ts";
import type { Scene } from "./scene.ts";

export interface CustomKind {
  readonly group: string;
  readonly definition: string;
  readonly apiVersion: string;
  readonly path: (name?: string, subresource?: string, version?: string) => string;
  /** A widget with this spec. */
  readonly widget: (name: string, spec?: unknown, more?: Json) => Json;
}

/** A schema with the given properties of spec, and a status that takes anything. */
export const widgetSchema = (spec: Json): Json => ({
  type: "object",
  properties: {
    spec: { type: "object", ...spec },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
});

export const widgetVersion = (schema: Json, more: Json = {}): Json => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});

/** Every scene has a group of its own, so definitions never conflict. */
export function widgetDefinition(ns: string, versions: readonly Json[], more: Json = {}): Json {
  const group = `${ns}.lockstep.dev`;
  return {
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        plural: "widgets",
        singular: "widget",
        kind: "Widget",
        shortNames: ["wd"],
        categories: ["all"],
      },
      versions,
      ...more,
    },
  };
}

export async function defineKind(
  scene: Scene,
  versions: readonly Json[],
  more: Json = {},
): Promise<CustomKind> {
  const { api, ns, create } = scene;
  const inside = more.scope === "Cluster" ? "" : `/namespaces/${ns}`;
  const group = `${ns}.lockstep.dev`;
  await create("customresourcedefinitions", widgetDefinition(ns, versions, more));
  const version = String(versions[0]?.name);
  const path: CustomKind["path"] = (name, subresource, asked = version) => {
    const collection = `/apis/${group}/${asked}${inside}/widgets`;
    return [collection, name, subresource].filter((part) => part !== undefined).join("/");
  };
  await eventually(
    "the new kind is served",
    () => api.get(path()),
    ({ status }) => status === 200,
  );
  const apiVersion = `${group}/${version}`;
  return {
    group,
    definition: `widgets.${group}`,
    apiVersion,
    path,
    widget: (name, spec = {}, rest = {}) => ({
      apiVersion,
      kind: "Widget",
      metadata: { name },
      spec,
      ...rest,
    }),
  };
}
