/** The same kubeconfigs read by kubectl and by us: which cluster, which user, which files, which refusals. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { clusterAccess } from "../../src/kube/access.ts";
import type { Cluster, Kubeconfig, User } from "../../src/kube/kubeconfig.ts";
import { kubeconfigFiles, loadKubeconfig } from "../../src/kube/kubeconfig.ts";
import { findKubectl } from "./kubectl.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstep-kubectl-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

const texts: Record<string, string> = {
  "ca.crt": "blue's authority",
  "sub/own.crt": "own's authority",
  "sub/me.crt": "bob's certificate",
  "sub/me.key": "bob's key",
  "sub/token": "bob's token",
  blue: `
current-context: blue
clusters:
- {name: shared, cluster: {server: "https://blue:6443", certificate-authority: ca.crt}}
contexts:
- {name: blue, context: {cluster: shared, user: ann, namespace: models}}
- {name: dangling, context: {cluster: nowhere, user: ann}}
users:
- {name: ann, user: {token: t1}}
`,
  "sub/green": `
current-context: green
clusters:
- {name: shared, cluster: {server: "https://green:6443", tls-server-name: other}}
- {name: own, cluster: {server: "https://own:6443", certificate-authority: own.crt}}
- {name: loose, cluster: {server: "https://loose", insecure-skip-tls-verify: true}}
contexts:
- {name: blue, context: {cluster: own, user: bob}}
- {name: green, context: {cluster: own, user: bob}}
- {name: loose, context: {cluster: loose, user: plug, namespace: night}}
- {name: named, context: {cluster: shared, user: ann}}
users:
- {name: ann, user: {username: u, password: p}}
- {name: bob, user: {client-certificate: me.crt, client-key: me.key, as: boss, as-groups: [a, b]}}
- name: plug
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks], interactiveMode: Never}
`,
  "sub/plugins": `
users:
- {name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: bin/plug}}}
- {name: b, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: plug}}}
`,
  empty: 'current-context: ""\n',
  twice: "clusters: [{name: a, cluster: {}}, {name: a, cluster: {}}]\n",
};

for (const [name, text] of Object.entries(texts)) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

interface Viewed {
  readonly clusters: readonly { readonly name: string; readonly cluster: Cluster }[] | null;
  readonly users: readonly { readonly name: string; readonly user: User }[] | null;
  readonly contexts: readonly { readonly name: string; readonly context: object }[] | null;
}

/** What both agree on: the names and their settings, with files replaced by their content. */
interface View {
  readonly context: unknown;
  readonly cluster: unknown;
  readonly user: unknown;
}

function kubectlView(binary: string, files: readonly string[], context?: string): View {
  const chosen = context === undefined ? [] : ["--context", context];
  const args = ["config", "view", "--minify", "--raw", "--flatten", "-o", "json", ...chosen];
  const env = { HOME: folder, KUBECONFIG: files.join(delimiter) };
  const text = execFileSync(binary, args, { env, encoding: "utf8", stdio: "pipe" });
  const { clusters, users, contexts } = JSON.parse(text) as Viewed;
  return {
    context: contexts?.[0],
    cluster: clusters?.[0],
    user: users?.map(({ name, user }) => ({ name, user: withoutEmptiness(user) }))[0],
  };
}

/** kubectl prints every field of a plugin, set or not. */
function withoutEmptiness(user: User): unknown {
  if (user.exec === undefined) return user;
  const fields = Object.entries(user.exec as object);
  return {
    exec: Object.fromEntries(fields.filter(([, value]) => value !== null && value !== false)),
  };
}

function ourView(config: Kubeconfig, contextName?: string): View {
  const name = contextName ?? config.currentContext ?? "";
  const context = config.contexts.get(name);
  const cluster = config.clusters.get(context?.cluster ?? "");
  const user = config.users.get(context?.user ?? "");
  return {
    context: context && { name, context },
    cluster: cluster && { name: context?.cluster, cluster: flattened(cluster) },
    user: user && { name: context?.user, user: flattened(user) },
  };
}

function flattened(entry: object): unknown {
  const asData = ["certificate-authority", "client-certificate", "client-key"];
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) =>
      asData.includes(key)
        ? [`${key}-data`, readFileSync(value as string).toString("base64")]
        : [key, value as unknown],
    ),
  );
}

const both = ["blue", "sub/green"];
const cases: [what: string, files: string[], context?: string][] = [
  ["one file", ["blue"]],
  ["another file alone", ["sub/green"]],
  ["two files: the first says which context is current", both],
  ["two files, the other way round", both.toReversed()],
  ["a context of the second file", both, "green"],
  ["a context of the second file on what the first one named", both, "named"],
  ["a plugin and no verification", both, "loose"],
  ["an empty current-context does not count", ["empty", "sub/green"]],
  ["a missing file is passed over", ["absent", "blue"]],
];

interface Refusal {
  readonly files: readonly string[];
  readonly context?: string;
  readonly kubectl: RegExp;
  readonly ours: RegExp;
}

const refusals: Record<string, Refusal> = {
  "a context that is not there": {
    files: both,
    context: "nowhere",
    kubectl: /cannot locate context nowhere/,
    ours: /no context "nowhere"/,
  },
  "two clusters of one name in one file": {
    files: ["twice", "blue"],
    kubectl: /duplicate name "a" in list/,
    ours: /two entries named "a"/,
  },
  "no context at all": {
    files: ["empty"],
    kubectl: /current-context must exist/,
    ours: /no current-context/,
  },
};

const paths = (files: readonly string[]): string[] => files.map((name) => join(folder, name));

test("a plugin named by a path is relative to its file's folder, one without a slash is looked up", () => {
  const { users } = loadKubeconfig(paths(["sub/plugins"]));
  const commands = [...users.values()].map(({ exec }) => exec?.command);
  expect(commands).toEqual([join(folder, "sub/bin/plug"), "plug"]);
});

for (const binary of [findKubectl()].filter((found) => found !== undefined)) {
  describe("as kubectl reads it", () => {
    test.each(cases)("%s", (_what, files, context) => {
      const ours = loadKubeconfig(kubeconfigFiles(undefined, paths(files).join(delimiter)));
      expect(ourView(ours, context)).toEqual(kubectlView(binary, paths(files), context));
    });

    test.each(Object.entries(refusals))("refused by both: %s", (_what, refusal) => {
      const { files, context, kubectl, ours } = refusal;
      expect(() => kubectlView(binary, paths(files), context)).toThrow(kubectl);
      expect(() => clusterAccess(loadKubeconfig(paths(files)), context)).toThrow(ours);
    });
  });
}
