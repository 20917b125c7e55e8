#!/usr/bin/env node
// Starts the command line: the built bundle where there is one, else the sources.
import { existsSync } from "node:fs";
import { requireDependencies, requireNode } from "../scripts/install.mjs";

requireNode();
const sources = new URL("../src/cli/main.ts", import.meta.url);
if (existsSync(sources)) {
  requireDependencies();
  const { register } = await import("tsx/esm/api");
  register();
  await import(sources.href);
} else {
  await import(new URL("../dist/lockstep.mjs", import.meta.url).href);
}
