/** The credentials for the API server, including exec plugins and rotating tokens. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { UserError } from "../api/user-error.ts";
import type { Cluster, ExecPlugin } from "./kubeconfig.ts";

export interface Credential {
  readonly authorization?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

export interface Credentials {
  current(): Promise<Credential>;
  /** Called after a 401: the next `current()` must not return the same stale credentials. */
  invalidate(): void;
}

export const noCredentials: Credentials = {
  current: () => Promise.resolve({}),
  invalidate: () => undefined,
};

export function fixedHeader(authorization: string): Credentials {
  const credential = { authorization };
  return { current: () => Promise.resolve(credential), invalidate: () => undefined };
}

/**
 * Service account tokens are rewritten in place about once an hour; the file's time says when. While the file cannot be
 * read, the last token it held still counts, or else `fallback`.
 */
export function fileToken(file: string, fallback = ""): Credentials {
  let known: { readonly mtimeMs: number; readonly credential: Credential } | undefined;
  const read = (): Credential => {
    const { mtimeMs } = statSync(file);
    if (known?.mtimeMs === mtimeMs) return known.credential;
    const credential = { authorization: `Bearer ${readFileSync(file, "utf8").trim()}` };
    known = { mtimeMs, credential };
    return credential;
  };
  return {
    current() {
      try {
        return Promise.resolve(read());
      } catch (error) {
        if (known !== undefined) return Promise.resolve(known.credential);
        if (fallback !== "") return Promise.resolve({ authorization: `Bearer ${fallback}` });
        return Promise.reject(tokenError(file, error));
      }
    },
    invalidate: () => (known = undefined),
  };
}

interface ExecCredential {
  readonly kind?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

/** How long a plugin may take; one that talks to a person needs longer. */
export interface PluginDeadlines {
  readonly aloneMs: number;
  readonly interactiveMs: number;
}

const pluginDeadlines: PluginDeadlines = { aloneMs: 60_000, interactiveMs: 600_000 };

/** Runs the plugin once for any number of waiting requests, and again when its answer has expired. */
export function execCredentials(
  plugin: ExecPlugin,
  cluster: Cluster,
  deadlines = pluginDeadlines,
): Credentials {
  let running: Promise<ExecCredential> | undefined;
  let answer: ExecCredential | undefined;
  async function ask(): Promise<ExecCredential> {
    const attempt = (running ??= runPlugin(plugin, cluster, deadlines));
    try {
      const fresh = await attempt;
      if (running === attempt) answer = fresh;
      return fresh;
    } finally {
      if (running === attempt) running = undefined;
    }
  }
  return {
    // A fresh answer of the plugin is used even if it has expired already: running it again would not help.
    current: async () =>
      asCredential(answer === undefined || hasExpired(answer) ? await ask() : answer),
    invalidate() {
      running = undefined;
      answer = undefined;
    },
  };
}

/** Plugins use wall-clock time, whatever clock the rest of the program runs on. */
function hasExpired(answer: ExecCredential): boolean {
  const expires = answer.status?.expirationTimestamp;
  return expires !== undefined && Date.parse(expires) <= wallClockMs();
}

function wallClockMs(): number {
  return performance.timeOrigin + performance.now();
}

function asCredential({ status = {} }: ExecCredential): Credential {
  return {
    ...(status.token === undefined ? {} : { authorization: `Bearer ${status.token}` }),
    ...(status.clientCertificateData === undefined
      ? {}
      : { clientCertificate: status.clientCertificateData }),
    ...(status.clientKeyData === undefined ? {} : { clientKey: status.clientKeyData }),
  };
}

function runPlugin(
  plugin: ExecPlugin,
  cluster: Cluster,
  deadlines: PluginDeadlines,
): Promise<ExecCredential> {
  const interactive = plugin.interactiveMode !== "Never" && isatty(0);
  const info = {
    kind: "ExecCredential",
    apiVersion: plugin.apiVersion,
    spec: {
      interactive,
      ...(plugin.provideClusterInfo === true ? { cluster: clusterInfo(cluster) } : {}),
    },
  };
  const extra = Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value]));
  const env = { ...process.env, ...extra, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  return new Promise((resolve, reject) => {
    const stdin = interactive ? "inherit" : "ignore";
    const child = spawn(plugin.command, plugin.args ?? [], {
      env,
      stdio: [stdin, "pipe", "inherit"],
      // In a group of its own, so that whatever it started ends with it; a person's terminal belongs to ours.
      detached: !interactive,
    });
    const deadlineMs = interactive ? deadlines.interactiveMs : deadlines.aloneMs;
    const timer = setTimeout(() => {
      endPlugin(child, interactive);
      reject(pluginError(plugin, `it gave no answer within ${deadlineMs / 1000} seconds`));
    }, deadlineMs);
    child.on("close", () => clearTimeout(timer));
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(pluginError(plugin, error.message));
    });
    child.on("close", (code) => {
      if (code !== 0) return reject(pluginError(plugin, `it exited with code ${code}`));
      return parseAnswer(plugin, Buffer.concat(chunks).toString("utf8"), resolve, reject);
    });
  });
}

function endPlugin(child: ChildProcess, interactive: boolean): void {
  child.stdout?.destroy();
  if (interactive || child.pid === undefined) {
    child.kill("SIGKILL");
    return;
  }
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

function parseAnswer(
  plugin: ExecPlugin,
  text: string,
  resolve: (answer: ExecCredential) => void,
  reject: (error: Error) => void,
): void {
  try {
    const answer = JSON.parse(text) as ExecCredential;
    if (answer.kind !== "ExecCredential" || answer.status === undefined) {
      return reject(pluginError(plugin, "its answer is no ExecCredential with a status"));
    }
    return resolve(answer);
  } catch {
    return reject(pluginError(plugin, "its answer is no JSON"));
  }
}

function clusterInfo(cluster: Cluster): Record<string, unknown> {
  return {
    server: cluster.server,
    "certificate-authority-data": cluster["certificate-authority-data"],
    "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
    "tls-server-name": cluster["tls-server-name"],
  };
}

function pluginError(plugin: ExecPlugin, why: string): UserError {
  const problem = `the credential plugin "${plugin.command}" of the kubeconfig failed: ${why}`;
  return new UserError({
    problem,
    fix: plugin.installHint?.trim() ?? "run it by hand to see what is wrong",
  });
}

function tokenError(file: string, error: unknown): UserError {
  return new UserError({
    problem: `the token file ${file} cannot be read: ${(error as Error).message}`,
    fix: "correct the path or the permissions, or name another tokenFile in the kubeconfig",
  });
}
