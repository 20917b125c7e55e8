import { defineConfig } from "vitest/config";

/** The tests that need a real kube-apiserver; `npm run test:k8s` builds and starts one first. */
export default defineConfig({
  test: {
    include: ["test/k8s/**/*.test.ts"],
    fileParallelism: false,
    setupFiles: ["test/scenario-complaints.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ["default", "./test/count-reporter.ts"],
  },
});
