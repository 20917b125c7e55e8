/** Ends a test run with the one line that `.ci/run` adds up. */
import type { Reporter, TestModule } from "vitest/node";

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") count[state]++;
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
  }
}
