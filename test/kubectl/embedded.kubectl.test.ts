/** The kubectl suite against our own server, wherever there is a kubectl. */
import { expect, test, vi } from "vitest";
import { startEmbedded } from "../contract/embedded-server.ts";
import { findKubectl } from "./kubectl.ts";
import { kubectlSuite } from "./suite.ts";

// Every command is a process of its own, and machines that run tests are busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const found = [findKubectl()].filter((binary) => binary !== undefined);
const outcome = found.length > 0 ? "IS TESTED" : "IS NOT TESTED: there is none on this machine";

test(`kubectl ${outcome}`, () => {
  if (found.length === 0) console.warn("kubectl is not tested: npm run test:k8s builds one.");
  expect(found.length).toBeLessThan(2);
});

for (const binary of found) kubectlSuite("the embedded API server", binary, startEmbedded);
