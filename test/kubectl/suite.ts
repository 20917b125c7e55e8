/** What people do with kubectl, run against one server; the same for ours and for a real one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { Cluster } from "../contract/scene.ts";
import { openCluster } from "../contract/scene.ts";
import type { ServerUnderTest } from "../contract/suite.ts";
import { writeKubeconfig } from "../control-plane/kubeconfig.ts";
import type { Kubectl } from "./kubectl.ts";
import { kubectl } from "./kubectl.ts";
import { changes } from "./topics/changes.ts";
import { creations } from "./topics/creations.ts";
import { deletions } from "./topics/deletions.ts";
import { manifests } from "./topics/manifests.ts";
import { reading } from "./topics/reading.ts";

/** One test's own namespace, with kubectl set to it and a folder for its files. */
export interface Desk {
  readonly cli: Kubectl;
  readonly ns: string;
  readonly folder: string;
}

export type OpenDesk = () => Promise<Desk>;

type Topics = Readonly<Record<string, (openDesk: OpenDesk) => void>>;

/** What needs an API server only. */
const serverTopics: Topics = { reading, manifests, changes, creations, deletions };

export function kubectlSuite(
  name: string,
  binary: string,
  start: () => Promise<ServerUnderTest>,
  topics = serverTopics,
): void {
  // Most of the time goes into starting processes, so several tests run side by side.
  describe(`kubectl with ${name}`, { concurrent: true }, () => {
    const home = mkdtempSync(join(tmpdir(), "lockstep-kubectl-"));
    let server: ServerUnderTest | undefined;
    let cluster: Cluster | undefined;

    beforeAll(async () => {
      server = await start();
      writeKubeconfig(join(home, "kubeconfig"), server);
      cluster = openCluster(server);
    });

    afterAll(async () => {
      cluster?.close();
      await server?.stop();
      rmSync(home, { recursive: true, force: true });
    });

    const openDesk: OpenDesk = async () => {
      if (cluster === undefined) throw new Error("the server is not running");
      const { ns } = await cluster.scene();
      const kubeconfig = join(home, "kubeconfig");
      const folder = mkdtempSync(join(home, "desk-"));
      return { cli: kubectl({ binary, kubeconfig, namespace: ns, home }), ns, folder };
    };

    describe.each(Object.entries(topics))("%s", (_topic, tests) => {
      tests(openDesk);
    });
  });
}
