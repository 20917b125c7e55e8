/** Authentication against a server that asks for it: certificates, rotating tokens, plugins, the pod's own account. */
import { chmodSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import type { SecuredServer, SeenRequest } from "../../test/builders/secured-server.ts";
import { certificate, fingerprintOf, securedServer } from "../../test/builders/secured-server.ts";
import type { ClusterAccess } from "./access.ts";
import { clusterAccess, inClusterAccess } from "./access.ts";
import { httpTransport } from "./http-transport.ts";
import type { Cluster, User } from "./kubeconfig.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstep-access-"));
afterAll(() => rmSync(folder, { recursive: true }));

const closings: (() => void)[] = [];
afterEach(() => closings.splice(0).forEach((close) => close()));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function serving(
  admits: (visit: SeenRequest) => boolean,
  hosts?: readonly string[],
): Promise<SecuredServer> {
  const server = await securedServer(admits, hosts);
  closings.push(() => server.close());
  return server;
}

const trusting = ({ url, authority }: SecuredServer): Cluster => ({
  server: url,
  "certificate-authority-data": base64(authority),
});

/** Access to the cluster as the user, through a context that names both. */
const accessOf = (cluster: Cluster, user: User): ClusterAccess =>
  clusterAccess({
    currentContext: "here",
    clusters: new Map([["here", cluster]]),
    users: new Map([["me", user]]),
    contexts: new Map([["here", { cluster: "here", user: "me" }]]),
  });

/** Requests one path per call over one transport, and returns the status codes. */
function caller(access: ClusterAccess): (path?: string) => Promise<number> {
  const transport = httpTransport(access);
  closings.push(() => transport.close());
  return async (path = "/api") => (await transport.request({ method: "GET", path })).status;
}

const mine = certificate();
const showsMine = ({ fingerprint }: SeenRequest): boolean =>
  fingerprint === fingerprintOf(mine.cert);

const certificateForms: Record<string, () => User> = {
  "in the kubeconfig": () => ({
    "client-certificate-data": base64(mine.cert),
    "client-key-data": base64(mine.key),
  }),
  "in files": () => ({
    "client-certificate": file("me.crt", mine.cert),
    "client-key": file("me.key", mine.key),
  }),
  "in both, the kubeconfig wins": () => ({
    "client-certificate-data": base64(mine.cert),
    "client-key-data": base64(mine.key),
    "client-certificate": file("other.crt", certificate().cert),
    "client-key": file("other.key", certificate().key),
  }),
};

test.each(Object.entries(certificateForms))(
  "a client certificate %s is accepted by a server that requires one",
  async (_form, user) => {
    const server = await serving(showsMine);
    expect(await caller(accessOf(trusting(server), user()))()).toBe(200);
  },
);

test("without a certificate, or with another one, that server refuses", async () => {
  const server = await serving(showsMine);
  const other = certificate();
  const stranger = {
    "client-certificate-data": base64(other.cert),
    "client-key-data": base64(other.key),
  };
  expect(await caller(accessOf(trusting(server), {}))()).toBe(401);
  expect(await caller(accessOf(trusting(server), stranger))()).toBe(401);
});

test("a certificate whose key does not fit is refused before anything is sent", async () => {
  const server = await serving(() => true);
  const user = {
    "client-certificate-data": base64(mine.cert),
    "client-key-data": base64(certificate().key),
  };
  await expect(caller(accessOf(trusting(server), user))()).rejects.toThrow(/key values mismatch/);
  expect(server.visits).toEqual([]);
});

test("a missing file of the kubeconfig is named", () => {
  const user = { "client-certificate": join(folder, "absent.crt") };
  expect(() => accessOf({ server: "https://a" }, user)).toThrow(
    /absent\.crt, which cannot be read/,
  );
});

test("a server with an untrusted certificate is refused", async () => {
  const server = await serving(() => true);
  await expect(caller(accessOf({ server: server.url }, {}))()).rejects.toThrow(/self-signed/);
  expect(server.visits).toEqual([]);
});

test("insecure-skip-tls-verify accepts it, but not together with a certificate authority", async () => {
  const server = await serving(() => true);
  const insecure = { server: server.url, "insecure-skip-tls-verify": true };
  expect(await caller(accessOf(insecure, {}))()).toBe(200);
  expect(() => accessOf({ ...trusting(server), ...insecure }, {})).toThrow(/keep one of the two/);
});

test("tls-server-name is the name that the server's certificate is checked for", async () => {
  const server = await serving(() => true, ["api.example.test"]);
  const named = (name: string): Cluster => ({ ...trusting(server), "tls-server-name": name });
  expect(await caller(accessOf(named("api.example.test"), {}))()).toBe(200);
  await expect(caller(accessOf(named("else.example.test"), {}))()).rejects.toThrow(/altnames/);
});

test("proxy-url and auth-provider are refused with what to do instead", () => {
  const proxied = { server: "https://a", "proxy-url": "http://proxy:3128" };
  expect(() => accessOf(proxied, {})).toThrow(/proxy-url, which lockstep does not support/);
  const old = { "auth-provider": { name: "gcp" } };
  expect(() => accessOf({ server: "https://a" }, old)).toThrow(/use an exec plugin instead/);
});

test("impersonation headers are sent with every request", async () => {
  const server = await serving(() => true);
  const user = {
    token: "t",
    as: "ann",
    "as-uid": "7",
    "as-groups": ["dev", "ops"],
    "as-user-extra": { "example.test/scope": ["a", "b"] },
  };
  await caller(accessOf(trusting(server), user))();
  expect(server.visits[0]?.headers).toMatchObject({
    authorization: "Bearer t",
    "impersonate-user": "ann",
    "impersonate-uid": "7",
    "impersonate-group": "dev, ops",
    "impersonate-extra-example.test%2fscope": "a, b",
  });
});

test("impersonating a group without a user is refused", () => {
  const user = { "as-groups": ["dev"] };
  expect(() => accessOf({ server: "https://a" }, user)).toThrow(/add `as` to the user/);
});

const bearers = ({ visits }: SecuredServer): (string | undefined)[] =>
  visits.map(({ headers }) => headers.authorization);

/** As a kubelet does: the new token is written beside the old one and replaces it atomically. */
function rotate(path: string, token: string, atSeconds: number): void {
  writeFileSync(`${path}.next`, `${token}\n`);
  utimesSync(`${path}.next`, atSeconds, atSeconds);
  renameSync(`${path}.next`, path);
}

test("a token file is read again when it was rewritten, and its last token is kept while it is missing", async () => {
  const server = await serving(() => true);
  const tokenFile = file("token", "");
  rotate(tokenFile, "one", 1_000);
  const call = caller(accessOf(trusting(server), { tokenFile, token: "unused" }));
  await call();
  await call();
  rotate(tokenFile, "two", 2_000);
  await call();
  rmSync(tokenFile);
  await call();
  expect(bearers(server)).toEqual(["Bearer one", "Bearer one", "Bearer two", "Bearer two"]);
});

test("without its file the token beside it counts; without both the file is named", async () => {
  const server = await serving(() => true);
  const tokenFile = join(folder, "no-token");
  await caller(accessOf(trusting(server), { tokenFile, token: "spare" }))();
  expect(bearers(server)).toEqual(["Bearer spare"]);
  const alone = caller(accessOf(trusting(server), { tokenFile }));
  await expect(alone()).rejects.toThrow(/token file .*no-token cannot be read/);
});

function account(server: SecuredServer) {
  const inside = mkdtempSync(join(folder, "account-"));
  writeFileSync(join(inside, "ca.crt"), server.authority);
  writeFileSync(join(inside, "namespace"), "models\n");
  const token = join(inside, "token");
  rotate(token, "first", 1_000);
  const { hostname, port } = new URL(server.url);
  return { inside, token, environment: variables(hostname, port) };
}

const variables = (host: string, port: string): Record<string, string> => ({
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port,
});

test("inside a pod its own account is used, and a rotated token at the next request", async () => {
  const server = await serving(({ headers }) => headers.authorization !== "Bearer old");
  const { inside, token, environment } = account(server);
  const access = inClusterAccess(environment, inside);
  expect(access).toMatchObject({ namespace: "models", origin: "the service account of this pod" });
  const call = caller(access as ClusterAccess);
  expect(await call()).toBe(200);
  rotate(token, "second", 2_000);
  expect(await call()).toBe(200);
  expect(bearers(server)).toEqual(["Bearer first", "Bearer second"]);
});

test("inside a pod a token that the server has just refused is read again at once", async () => {
  const server = await serving(({ headers }) => headers.authorization === "Bearer second");
  const { inside, token, environment } = account(server);
  const access = inClusterAccess(environment, inside) as ClusterAccess;
  await access.credentials.current();
  // Rewritten without a new modification time, as with a clock that stands still.
  rotate(token, "second", 1_000);
  expect(await caller(access)()).toBe(200);
  expect(bearers(server)).toEqual(["Bearer first", "Bearer second"]);
});

const elsewhere: Record<string, Record<string, string>> = {
  "the variables are missing": {},
  "the variables are empty": variables("", ""),
  "there is no token": variables("10.0.0.1", "443"),
};

test.each(Object.entries(elsewhere))("there is no pod's account where %s", (_why, environment) => {
  expect(inClusterAccess(environment, join(folder, "nowhere"))).toBeUndefined();
});

test("an IPv6 address of the API server is written as URLs require", () => {
  const inside = mkdtempSync(join(folder, "account-"));
  writeFileSync(join(inside, "token"), "t");
  const access = inClusterAccess(variables("fd00::1", "6443"), inside);
  expect(access?.server.href).toBe("https://[fd00::1]:6443/");
  expect(access?.namespace).toBe("default");
});

/** A plugin whose token says how often it was run. */
function plugin(name: string, more: Record<string, string> = {}): User {
  const counter = file(`${name}.runs`, "");
  const status = JSON.stringify({ token: "RUN", ...more });
  const lines = [
    "#!/bin/sh",
    `printf x >> ${counter}`,
    `run=$(wc -c < ${counter} | tr -d ' ')`,
    `sed "s/RUN/run-$run/" <<'END'`,
    `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":${status}}`,
    "END",
  ];
  const command = file(`${name}.sh`, `${lines.join("\n")}\n`);
  chmodSync(command, 0o755);
  const apiVersion = "client.authentication.k8s.io/v1";
  return { exec: { apiVersion, command, interactiveMode: "Never" } };
}

const pluginLives: Record<string, { expires?: string; want: string[] }> = {
  "without an end is asked once": { want: ["run-1", "run-1", "run-1"] },
  "that lasts is asked once": {
    expires: "2999-01-01T00:00:00Z",
    want: ["run-1", "run-1", "run-1"],
  },
  "that has expired is asked every time, once": {
    expires: "2020-01-01T00:00:00Z",
    want: ["run-1", "run-2", "run-3"],
  },
};

test.each(Object.entries(pluginLives))(
  "a plugin whose answer %s",
  async (name, { expires, want }) => {
    const server = await serving(() => true);
    const more: Record<string, string> =
      expires === undefined ? {} : { expirationTimestamp: expires };
    const call = caller(accessOf(trusting(server), plugin(name.replaceAll(" ", "-"), more)));
    for (const _ of want) await call();
    expect(bearers(server)).toEqual(want.map((token) => `Bearer ${token}`));
  },
);

test("a plugin is asked again when the server refuses its token, and only then", async () => {
  const server = await serving(({ headers }) => headers.authorization !== "Bearer run-1");
  const call = caller(accessOf(trusting(server), plugin("refused")));
  expect([await call(), await call()]).toEqual([200, 200]);
  expect(bearers(server)).toEqual(["Bearer run-1", "Bearer run-2", "Bearer run-2"]);
});

test("a refusal that a fresh answer does not change is reported, not retried forever", async () => {
  const server = await serving(() => false);
  expect(await caller(accessOf(trusting(server), plugin("unwelcome")))()).toBe(401);
  expect(server.visits).toHaveLength(2);
});

test("a plugin may answer with a client certificate", async () => {
  const server = await serving(showsMine);
  const pair = { clientCertificateData: mine.cert, clientKeyData: mine.key };
  expect(await caller(accessOf(trusting(server), plugin("certificate", pair)))()).toBe(200);
});
