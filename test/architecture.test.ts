/** Arrows between layers point down only, and siblings among controllers never know each other. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const mayImport: Record<string, readonly string[]> = {
  planner: [],
  api: [],
  runtime: ["api"],
  cel: ["api"],
  controllers: ["planner", "api", "runtime", "cel"],
  kube: ["api", "runtime"],
  apiserver: ["api", "runtime", "cel"],
  sim: ["api", "runtime", "apiserver"],
  preview: ["planner", "api", "runtime", "controllers", "apiserver", "sim"],
  simulation: ["planner", "api", "runtime", "controllers", "apiserver", "sim"],
  rollouts: ["planner", "api", "runtime", "controllers"],
  dashboard: ["planner", "api", "runtime", "rollouts"],
  cli: [
    "planner",
    "api",
    "runtime",
    "controllers",
    "rollouts",
    "kube",
    "apiserver",
    "sim",
    "preview",
    "simulation",
    "dashboard",
  ],
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

/** `controllers/grove/podclique/plan.ts` -> `grove/podclique`. */
function controllerRoom(file: string): string | undefined {
  const parts = file.split("/");
  return parts[0] === "controllers" && parts.length > 2 ? parts.slice(1, -1).join("/") : undefined;
}

/** A room knows itself, the rooms around it, and the engine; never a sibling. */
const mayKnow = (room: string, other: string): boolean =>
  other === "engine" || room === other || room.startsWith(`${other}/`);

test.each(sources)("src/%s imports only downwards", (file) => {
  const layer = file.split("/")[0]!;
  expect(mayImport, `unknown layer ${layer}: list it in test/architecture.test.ts`).toHaveProperty(
    layer,
  );
  const isTest = file.endsWith(".test.ts");
  const room = controllerRoom(file);
  const isAllowed = (target: string): boolean => {
    const targetLayer = target.split("/")[0]!;
    // A test may reach for the builders and drawings under test/.
    if (isTest && !(targetLayer in mayImport)) return true;
    if (![layer, ...mayImport[layer]!].includes(targetLayer)) return false;
    const other = controllerRoom(target);
    return room === undefined || other === undefined || mayKnow(room, other);
  };
  expect([...importedFiles(file)].filter((target) => !isAllowed(target))).toEqual([]);
});

test.each(sources)(
  "src/%s takes no more than types of Kubernetes from outside, in src/api",
  (file) => {
    const text = readFileSync(`src/${file}`, "utf8");
    const imports = text.match(/^.*"kubernetes-models[^"]*".*$/gm) ?? [];
    const allowed = file.startsWith("api/")
      ? imports.filter((line) => line.startsWith("import type "))
      : [];
    expect(imports, "import it from src/api").toEqual(allowed);
  },
);

test.each(sources)("src/%s loads no package with import()", (file) => {
  const text = readFileSync(`src/${file}`, "utf8");
  const packages = text.match(/\bimport\("(?!\.|node:)[^"]+"\)/g) ?? [];
  expect(packages, "a CommonJS package has no named exports there once it is bundled").toEqual([]);
});

const ofKinds = sources.filter(
  (file) => controllerRoom(file) !== undefined && controllerRoom(file) !== "engine",
);

test.each(ofKinds.filter((file) => !file.endsWith(".test.ts")))(
  "src/%s knows no client: what it writes is data, what it reads goes through a Reader",
  (file) => {
    const ofRuntime = importedFiles(file).filter((target) => target.startsWith("runtime/"));
    expect(ofRuntime).not.toContain("runtime/client.ts");
    const text = readFileSync(`src/${file}`, "utf8");
    expect(text, "caches are made by the engine").not.toMatch(/\bnew Cache\(/);
  },
);

test.each(
  sources.filter((file) => controllerRoom(file) === "engine" && !file.endsWith(".test.ts")),
)("src/%s names no kind: texts and reasons are given to it", (file) => {
  const named = readFileSync(`src/${file}`, "utf8").match(
    /PodClique|ScalingGroup|PodGang|StatefulSet|RoleBasedGroup|Placement/g,
  );
  expect(named).toBeNull();
});

const all = readdirSync(".", { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.(ts|yaml)$/.test(file) && !file.includes("node_modules"),
);

/** Paths in backticks; a `<kind>` or a `*` stands for any name. */
test.each(["docs/architecture.md", "docs/add-a-kind.md"])(
  "%s names files that are there",
  (page) => {
    const named = [...readFileSync(page, "utf8").matchAll(/`([\w./<>*-]+\.ts)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.length).toBeGreaterThan(0);
    const isThere = (path: string): boolean => {
      const plain = path.replaceAll(/[.]/g, "\\.").replaceAll(/<\w+>|\*/g, "[^/]*");
      return all.some((file) => new RegExp(`(^|/)${plain}$`).test(file));
    };
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  },
);
