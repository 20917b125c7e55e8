/** Ends a test run with the one line that `.ci/run` adds up, and keeps what failed where that script asks for it. */
import { appendFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      keep(module.moduleId, module.errors());
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") count[state]++;
        if (state === "failed") keep(nameOf(test), test.result().errors ?? []);
      }
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
  }
}

function nameOf(test: TestCase): string {
  return `${test.module.moduleId} > ${test.fullName}`;
}

/** A long log is often read from its end only: failures are repeated there. */
function keep(
  name: string,
  errors: readonly { readonly stack?: string; readonly message: string }[],
): void {
  const file = process.env["LOCKSTEP_FAILURES"];
  if (file === undefined || errors.length === 0) return;
  const texts = errors.map(({ message, stack }) => `${message}\n${stack ?? ""}`).join("\n");
  appendFileSync(file, `FAILED ${name}\n${texts}\n\n`);
}
