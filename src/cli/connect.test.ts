import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { connect } from "./connect.ts";
import type { Io } from "./io.ts";
import { processIo } from "./io.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstep-connect-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("no plugin of a kubeconfig that merely lies in the folder is run", async () => {
  const marker = join(folder, "was-run");
  mkdirSync(join(folder, ".lockstep"));
  const file = join(folder, ".lockstep", "kubeconfig");
  writeFileSync(
    file,
    `
current-context: c
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: ["${marker}"]}}}]
`,
  );
  chmodSync(file, 0o600);
  const io = { workingDirectory: folder, environment: {} } as Io;
  const connection = connect({}, io);
  const asked = connection.transport.request({ method: "GET", path: "/version" });
  await expect(asked).rejects.toThrow(/nothing answers at http:\/\/127\.0\.0\.1:1/);
  connection.close();
  expect(existsSync(marker)).toBe(false);
});

test("a KUBECONFIG that names no file is reported as that", () => {
  const environment: Io["environment"] = { KUBECONFIG: "/nowhere/config" };
  const io = { workingDirectory: folder, environment } as Io;
  expect(() => connect({}, io)).toThrow(
    "no cluster to talk to: KUBECONFIG names /nowhere/config, which does not exist",
  );
});

test("a server that is busy is asked again when it says so", async () => {
  const answers = [429, 503, 200];
  const server = createServer((_request, response) => {
    const code = answers.shift() ?? 500;
    response.writeHead(code, { "retry-after": "0" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const kubeconfig = join(folder, "busy");
  writeFileSync(
    kubeconfig,
    `
current-context: c
clusters: [{name: c, cluster: {server: "http://127.0.0.1:${port}"}}]
contexts: [{name: c, context: {cluster: c}}]
`,
  );
  const connection = connect({ kubeconfig }, { ...processIo(), environment: {} });
  const answer = await connection.transport.request({ method: "GET", path: "/version" });
  expect({ status: answer.status, left: answers }).toEqual({ status: 200, left: [] });
  connection.close();
  server.close();
});
