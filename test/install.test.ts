/** What runs before anything is installed: which Node.js will do, and when npm has to be asked. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { nodeProblem, reasonToInstall } from "../scripts/install.mjs";

test.each(["20.19.0", "20.20.2", "22.1.0", "24.0.0"])("Node.js %s will do", (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

test.each(["20.18.3", "18.20.0", "8.0.0"])("Node.js %s is too old, in one line", (version) => {
  expect(nodeProblem(version)).toBe(
    `lockstep needs Node.js 20.19 or newer; this is ${version}. Install a newer Node.js and try again.`,
  );
});

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Given {
  readonly locked: Record<string, { version: string; optional?: boolean; dev?: boolean }>;
  readonly installed?: Record<string, { version: string }>;
  readonly lockIsNewer?: boolean;
}

function clone({ locked, installed, lockIsNewer = true }: Given): string {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-install-"));
  folders.push(folder);
  const write = (file: string, packages: object, seconds: number): void => {
    writeFileSync(join(folder, file), JSON.stringify({ packages }));
    utimesSync(join(folder, file), seconds, seconds);
  };
  write("package-lock.json", { "": {}, ...locked }, lockIsNewer ? 2000 : 1000);
  if (installed === undefined) return folder;
  mkdirSync(join(folder, "node_modules"));
  write("node_modules/.package-lock.json", installed, 1500);
  return folder;
}

interface Case extends Given {
  readonly onlyToRun?: boolean;
  readonly want: string | undefined;
}

const cases: Record<string, Case> = {
  "a fresh clone installs": { locked: { a: { version: "1" } }, want: "first run" },
  "an installation younger than the lock stands": {
    locked: { a: { version: "2" } },
    installed: { a: { version: "1" } },
    lockIsNewer: false,
    want: undefined,
  },
  "a lock that asks for another version installs": {
    locked: { a: { version: "2" } },
    installed: { a: { version: "1" } },
    want: "package-lock.json is newer",
  },
  "a lock that asks for one more installs": {
    locked: { a: { version: "1" }, b: { version: "1" } },
    installed: { a: { version: "1" } },
    want: "some are missing",
  },
  "tools for working on it are missing after a first look": {
    locked: { a: { version: "1" }, tool: { version: "1", dev: true } },
    installed: { a: { version: "1" } },
    lockIsNewer: false,
    want: "some are missing",
  },
  "tools are not needed to run": {
    locked: { a: { version: "1" }, tool: { version: "1", dev: true } },
    installed: { a: { version: "1" } },
    onlyToRun: true,
    want: undefined,
  },
  "a lock that was only touched does not": {
    locked: { a: { version: "1" }, other: { version: "1", optional: true } },
    installed: { a: { version: "1" } },
    want: undefined,
  },
};

test.each(Object.entries(cases))("%s", (_rule, { want, onlyToRun = false, ...given }) => {
  const isNeeded = onlyToRun ? ({ dev }: { dev?: boolean }) => dev !== true : undefined;
  expect(reasonToInstall(clone(given), isNeeded)).toBe(want);
});

test("a clone runs with the bundler that it is tested with", () => {
  const packages = (file: string): Record<string, { version: string }> =>
    (JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, { version: string }> })
      .packages;
  const esbuild = "node_modules/esbuild";
  expect(packages("tools/bundler/package-lock.json")[esbuild]?.version).toBe(
    packages("package-lock.json")[esbuild]?.version,
  );
});
