/** The whole contract, run against one server. The topics do not know which server that is. */
import { afterAll, beforeAll, describe } from "vitest";
import type { ApiEndpoint } from "./endpoint.ts";
import type { Cluster } from "./scene.ts";
import { openCluster } from "./scene.ts";
import { topics } from "./topics/index.ts";

export interface ServerUnderTest extends ApiEndpoint {
  stop(): Promise<void>;
}

export function contractSuite(name: string, start: () => Promise<ServerUnderTest>): void {
  describe(`the contract of ${name}`, () => {
    let server: ServerUnderTest | undefined;
    let cluster: Cluster | undefined;

    beforeAll(async () => {
      server = await start();
      cluster = openCluster(server);
    });

    afterAll(async () => {
      cluster?.close();
      await server?.stop();
    });

    const opened = (): Cluster => {
      if (cluster === undefined) throw new Error("the server is not running");
      return cluster;
    };
    describe.each(Object.entries(topics))("%s", (_topic, tests) => {
      tests(opened);
    });
  });
}
