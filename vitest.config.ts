import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["test/k8s/**", "**/node_modules/**"],
    isolate: false,
    pool: "threads",
    reporters: ["default", "./test/count-reporter.ts"],
  },
});
