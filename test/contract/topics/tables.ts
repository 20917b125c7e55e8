/** Objects as tables: the columns of every kind and the cells of one object, as `kubectl get` prints them. */
import { expect, test } from "vitest";
import type { Json } from "../json.ts";
import { at } from "../json.ts";
import type { Sample } from "../samples.ts";
import { otherSamples, workloadSamples } from "../samples.ts";
import type { Cluster } from "../scene.ts";
import { masked } from "../stable.ts";
import { tableLines } from "./table-lines.ts";

const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
const samples: Readonly<Record<string, Sample>> = { ...workloadSamples, ...otherSamples };

/** `Name: a`, and `Node (wide): n` for columns that only `-o wide` shows. */
export function sketchTable(table: Json): string[] {
  const columns = table.columnDefinitions as { name: string; priority: number }[];
  const cells = at(table, "rows.0.cells") as unknown[];
  return columns.map(({ name, priority }, index) => {
    const cell = masked(cells[index]);
    return `${name}${priority > 0 ? " (wide)" : ""}: ${typeof cell === "string" ? cell : JSON.stringify(cell)}`;
  });
}

export function tables(cluster: () => Cluster): void {
  test.each(Object.entries(samples))("%s", async (name, { resource, object }) => {
    const { api, path, create, fill, unfill } = await cluster().scene();
    const made = await create(resource, fill(object));
    const { body } = await api.get(path(resource, String(at(made, "metadata.name"))), {}, asTable);
    expect(unfill(sketchTable(body))).toEqual(tableLines[name]);
  });

  test("the rows of a table carry the objects' metadata", async () => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", { metadata: { name: "a" }, data: { k: "v" } });
    const { body } = await api.get(path("configmaps"), {}, asTable);
    expect(body).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    expect(at(body, "metadata.resourceVersion")).toMatch(/^\d+$/);
    expect(at(body, "rows.0.object")).toMatchObject({
      kind: "PartialObjectMetadata",
      apiVersion: "meta.k8s.io/v1",
      metadata: { name: "a" },
    });
  });

  test.each([
    ["Object", "ConfigMap"],
    ["None", undefined],
  ])("the rows of a table carry what includeObject=%s says", async (includeObject, kind) => {
    const { api, path, create } = await cluster().scene();
    await create("configmaps", { metadata: { name: "a" } });
    const { body } = await api.get(path("configmaps"), { includeObject }, asTable);
    expect(at(body, "rows.0.object.kind")).toBe(kind);
  });

  test("an empty table has columns and no rows", async () => {
    const { api, path } = await cluster().scene();
    const { body } = await api.get(path("configmaps"), {}, asTable);
    expect(at(body, "columnDefinitions.0")).toMatchObject({
      name: "Name",
      type: "string",
      format: "name",
      priority: 0,
    });
    expect(body.rows).toEqual([]);
  });

  test("a table of chunks can be continued", async () => {
    const { api, path, create } = await cluster().scene();
    for (const name of ["a", "b"]) await create("configmaps", { metadata: { name } });
    const { body } = await api.get(path("configmaps"), { limit: 1 }, asTable);
    expect(at(body, "metadata.continue")).toMatch(/./);
    expect(at(body, "metadata.remainingItemCount")).toBe(1);
  });
}
