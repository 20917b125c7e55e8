import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["test/k8s/**", "**/node_modules/**"],
    isolate: false,
    // Whole rollouts run in virtual time: seconds on a free machine, more on a busy one.
    testTimeout: 120_000,
    setupFiles: ["test/property-seed.ts", "test/scenario-complaints.ts"],
    pool: "threads",
    maxWorkers: "100%",
    reporters: ["default", "./test/count-reporter.ts"],
  },
});
