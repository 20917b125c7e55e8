#!/usr/bin/env node
// Starts the command line: the bundle a published package carries, or one made of this clone's sources.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { requireDependencies, requireNode } from "../scripts/install.mjs";

requireNode();
process.setSourceMapsEnabled?.(true);
if (existsSync(new URL("../src/cli/main.ts", import.meta.url))) {
  requireDependencies();
  const { freshBundle } = await import("../scripts/build.mjs");
  await import(pathToFileURL(await freshBundle()).href);
} else {
  await import(new URL("../dist/lockstep.mjs", import.meta.url).href);
}
