/** Kubeconfigs are read as kubectl reads them: the same precedence, the same paths, the same refusals. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { clusterAccess, inClusterAccess } from "./access.ts";
import { execCredentials } from "./credentials.ts";
import { kubeconfigFiles, loadKubeconfig } from "./kubeconfig.ts";
import { loadLocalKubeconfig } from "./local-kubeconfig.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstep-kubeconfig-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const blue = file(
  "blue",
  `
apiVersion: v1
kind: Config
current-context: blue
clusters:
- {name: shared, cluster: {server: "https://blue:6443", certificate-authority: ca.crt}}
contexts:
- {name: blue, context: {cluster: shared, user: ann, namespace: models}}
users:
- {name: ann, user: {token: t1}}
`,
);
const green = file(
  "green",
  `
current-context: green
clusters:
- {name: shared, cluster: {server: "https://green:6443"}}
contexts:
- {name: green, context: {cluster: shared, user: bob}}
- {name: gone, context: {cluster: nowhere, user: bob}}
users:
- {name: ann, user: {token: other}}
- {name: bob, user: {username: bob, password: secret}}
`,
);
file("ca.crt", "a certificate");

test("the first file to name a cluster, a user or the current context wins", async () => {
  const access = clusterAccess(loadKubeconfig([blue, green]));
  expect(access.server.href).toBe("https://blue:6443/");
  expect(access.namespace).toBe("models");
  expect(await access.credentials.current()).toEqual({ authorization: "Bearer t1" });
});

test("relative file names count from the kubeconfig's own folder", () => {
  const access = clusterAccess(loadKubeconfig([blue]));
  expect(access.tls.ca?.toString()).toBe("a certificate");
});

test("a missing file of $KUBECONFIG is skipped, a missing --kubeconfig is an error", () => {
  const absent = join(folder, "absent");
  expect(loadKubeconfig([absent, green]).currentContext).toBe("green");
  expect(() => loadKubeconfig([absent], true)).toThrow(/absent cannot be read/);
});

test("an explicit file stands alone, $KUBECONFIG lists several, else the home directory's", () => {
  expect(kubeconfigFiles("x", "a:b")).toEqual(["x"]);
  expect(kubeconfigFiles(undefined, ["a", "", "b", "a"].join(delimiter))).toEqual(["a", "b"]);
  expect(kubeconfigFiles(undefined, "")[0]).toMatch(/\.kube.config$/);
});

test("another context may be chosen, with its own user and namespace", async () => {
  const access = clusterAccess(loadKubeconfig([blue, green]), "green");
  expect(access.namespace).toBe("default");
  expect(await access.credentials.current()).toEqual({ authorization: "Basic Ym9iOnNlY3JldA==" });
});

const complaints: Record<string, { text: string; context?: string; want: RegExp }> = {
  "an unknown context is named with those that exist": {
    text: readFileSync(green, "utf8"),
    context: "red",
    want: /no context "red"; it knows green, gone/,
  },
  "a context without its cluster is named": {
    text: readFileSync(green, "utf8"),
    context: "gone",
    want: /no cluster "nowhere"; it knows shared/,
  },
  "no current context says how to choose one": {
    text: "contexts: [{name: a, context: {cluster: c}}]",
    want: /no current-context; choose one with --context \(a\)/,
  },
  "broken YAML names the file and the line": { text: "clusters: [", want: /kubeconfig .*line/s },
  "two clusters of one name are named": {
    text: "clusters: [{name: a, cluster: {}}, {name: a, cluster: {}}]",
    want: /two entries named "a" among its clusters/,
  },
  "a list is no kubeconfig": { text: "- a\n- b", want: /holds no mapping/ },
};

test.each(Object.entries(complaints))("%s", (_sentence, { text, context, want }) => {
  const path = file("complaint", text);
  expect(() => clusterAccess(loadKubeconfig([path]), context)).toThrow(want);
});

function pluginConfig(script: string): string {
  const path = file("plugin.sh", `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return file(
    "exec",
    `
current-context: c
clusters: [{name: c, cluster: {server: "https://c"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ${path}
      env: [{name: EXTRA, value: from-config}]
      interactiveMode: Never
`,
  );
}

test("an exec plugin runs once for parallel requests and sees KUBERNETES_EXEC_INFO", async () => {
  const log = join(folder, "runs");
  writeFileSync(log, "");
  const path = pluginConfig(`
echo "$EXTRA $KUBERNETES_EXEC_INFO" >> ${log}
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"abc"}}'`);
  const { credentials } = clusterAccess(loadKubeconfig([path]));
  const tokens = await Promise.all([credentials.current(), credentials.current()]);
  expect(tokens).toEqual([{ authorization: "Bearer abc" }, { authorization: "Bearer abc" }]);
  const runs = readFileSync(log, "utf8").trim().split("\n");
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatch(/^from-config \{"kind":"ExecCredential"/);

  credentials.invalidate();
  await credentials.current();
  expect(readFileSync(log, "utf8").trim().split("\n")).toHaveLength(2);
});

test("a failing exec plugin is reported with its name, and is tried again next time", async () => {
  const { credentials } = clusterAccess(loadKubeconfig([pluginConfig("exit 3")]));
  await expect(credentials.current()).rejects.toThrow(/plugin\.sh" .* exited with code 3/);
  await expect(credentials.current()).rejects.toThrow(/exited with code 3/);
});

test("an exec plugin that does not answer is ended with all it started, and named", async () => {
  const marker = `lockstep-test-${process.pid}-sleeper`;
  const { users, clusters } = loadKubeconfig([pluginConfig(`sh -c 'sleep 600; : ${marker}'`)]);
  const deadlines = { aloneMs: 300, interactiveMs: 300 };
  const { exec } = users.get("u")!;
  const credentials = execCredentials(exec!, clusters.get("c")!, deadlines);
  await expect(credentials.current()).rejects.toThrow(
    /plugin\.sh" .* gave no answer within 0\.3 seconds/,
  );
  await expect.poll(() => runningWith(marker), { timeout: 10_000 }).toEqual([]);
});

/** Process ids whose command line contains the text. */
function runningWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
      } catch {
        return false;
      }
    });
}

const local = (more: string): string =>
  `
current-context: c
clusters: [{name: c, cluster: {server: "https://127.0.0.1:7443", certificate-authority-data: YQ==, ${more}}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: t, tokenFile: secret, exec: {apiVersion: v1, command: /bin/false}, as: root}}]
`;

test("of a kubeconfig that nobody named only address, token and certificate are used", async () => {
  const path = file("local", local("insecure-skip-tls-verify: true, tls-server-name: x"));
  chmodSync(path, 0o600);
  const config = loadLocalKubeconfig(path);
  expect(config.clusters.get("c")).toEqual({
    server: "https://127.0.0.1:7443",
    "certificate-authority-data": "YQ==",
  });
  expect(config.users.get("u")).toEqual({ token: "t" });
  const access = clusterAccess(config);
  expect(await access.credentials.current()).toEqual({ authorization: "Bearer t" });
});

test("a kubeconfig that nobody named must belong to this user alone", () => {
  const path = file("foreign", local(""));
  chmodSync(path, 0o600);
  expect(() => loadLocalKubeconfig(path, 4711)).toThrow(/foreign belongs to another user; name/);
  chmodSync(path, 0o666);
  expect(() => loadLocalKubeconfig(path)).toThrow(/can be written by other users/);
});

const bombs: Record<string, { text: string; want: RegExp }> = {
  "a kubeconfig that contains itself": {
    text: "clusters: &a [*a]",
    want: /anchor 'a' value contains itself/,
  },
  "an alias bomb": {
    text: `a: &a [x,x,x,x,x,x,x,x,x,x]\n${"bcdefgh"
      .split("")
      .map(
        (name, index) =>
          `${name}: &${name} [${Array.from({ length: 10 }, () => `*${"abcdefgh"[index]}`).join(",")}]`,
      )
      .join("\n")}`,
    want: /aliases repeat more than/,
  },
};

test.each(Object.entries(bombs))("%s is refused by name", (_sentence, { text, want }) => {
  expect(() => loadKubeconfig([file("bomb", text)])).toThrow(want);
});

test("outside a pod there is no in-cluster access", () => {
  expect(inClusterAccess({})).toBeUndefined();
});
