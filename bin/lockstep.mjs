#!/usr/bin/env node
// Starts the command line: the bundle a published package carries, or one made of this clone's sources.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { requireNode, requireToRun } from "../scripts/install.mjs";

requireNode();
// Source maps cost a short command a tenth of its start, and an operator 25 MB for as long as it runs. Stack traces name
// functions and lines of the bundle; NODE_OPTIONS=--enable-source-maps brings the sources back.
if (process.argv[2] === "up") process.setSourceMapsEnabled?.(true);
if (existsSync(new URL("../src/cli/main.ts", import.meta.url))) {
  await requireToRun();
  const { freshBundle } = await import("../scripts/build.mjs");
  await import(pathToFileURL(await freshBundle()).href);
} else {
  await import(new URL("../dist/lockstep.mjs", import.meta.url).href);
}
