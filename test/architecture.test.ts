/** Arrows between layers point down only, and siblings among controllers never know each other. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const mayImport: Record<string, readonly string[]> = {
  planner: [],
  api: [],
  runtime: ["api"],
  controllers: ["planner", "api", "runtime"],
  kube: ["api", "runtime"],
  apiserver: ["api", "runtime"],
  sim: ["api", "runtime", "apiserver"],
  dashboard: ["planner", "api", "runtime"],
  cli: ["planner", "api", "runtime", "controllers", "kube", "apiserver", "sim", "dashboard"],
};

const importPath = /(?:from|import) "((?:\.\.?\/)+[^"]+)"/g;
const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .toSorted();

function importedFiles(file: string): string[] {
  const text = readFileSync(`src/${file}`, "utf8");
  return [...text.matchAll(importPath)].map(([, target]) =>
    new URL(target!, `file:///${file}`).pathname.slice(1),
  );
}

/** `controllers/statefulset/act.ts` -> `statefulset`; files directly under controllers belong to all. */
function controllerFolder(file: string): string | undefined {
  const parts = file.split("/");
  return parts[0] === "controllers" && parts.length > 2 ? parts[1] : undefined;
}

test.each(sources)("src/%s imports only downwards", (file) => {
  const layer = file.split("/")[0]!;
  expect(mayImport, `unknown layer ${layer}: list it in test/architecture.test.ts`).toHaveProperty(
    layer,
  );
  const isTest = file.endsWith(".test.ts");
  for (const target of importedFiles(file)) {
    const targetLayer = target.split("/")[0]!;
    // A test may reach for the builders and drawings under test/.
    if (isTest && !(targetLayer in mayImport)) continue;
    expect([layer, ...mayImport[layer]!], `${file} imports ${target}`).toContain(targetLayer);
    const sibling = controllerFolder(target);
    if (sibling !== undefined && layer === "controllers")
      expect(sibling, `${file} imports ${target}`).toBe(controllerFolder(file));
  }
});
