/** Kubeconfigs are read as kubectl reads them: the same precedence, the same paths, the same refusals. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { clusterAccess, inClusterAccess } from "./access.ts";
import { kubeconfigFiles, loadKubeconfig } from "./kubeconfig.ts";

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

test("outside a pod there is no in-cluster access", () => {
  expect(inClusterAccess({})).toBeUndefined();
});
