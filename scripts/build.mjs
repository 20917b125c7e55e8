// Bundles the command line into one file for publishing.
import { build } from "esbuild";

await build({
  entryPoints: ["src/cli/main.ts"],
  outfile: "dist/lockstep.mjs",
  bundle: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: "info",
});
