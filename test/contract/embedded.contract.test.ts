/** The contract against our own server: what a real kube-apiserver answers, ours answers too. */
import { vi } from "vitest";
import { startEmbedded } from "./embedded-server.ts";
import { contractSuite } from "./suite.ts";

// Watches are waited for up to twenty seconds; on an idle machine they take milliseconds.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

contractSuite("the embedded API server", startEmbedded);
