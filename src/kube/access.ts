/** Derives from a kubeconfig what is needed to reach one cluster: address, TLS material, credentials. */
import { existsSync, readFileSync } from "node:fs";
import type { SecureContextOptions } from "node:tls";
import { UserError } from "../api/user-error.ts";
import type { Credentials } from "./credentials.ts";
import { execCredentials, fileToken, fixedHeader, noCredentials } from "./credentials.ts";
import type { Cluster, Kubeconfig, User } from "./kubeconfig.ts";

export interface ClusterAccess {
  readonly server: URL;
  readonly tls: SecureContextOptions & { rejectUnauthorized?: boolean; servername?: string };
  readonly credentials: Credentials;
  /** Impersonation headers, sent with every request. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The namespace that commands use when none is given. */
  readonly namespace: string;
  /** For messages: which context of which file this is. */
  readonly origin: string;
}

export function clusterAccess(config: Kubeconfig, contextName?: string): ClusterAccess {
  const name = contextName ?? config.currentContext;
  if (name === undefined) {
    throw new UserError({
      problem: "the kubeconfig has no current-context",
      fix: `choose one with --context (${[...config.contexts.keys()].join(", ") || "none is defined"})`,
    });
  }
  const context = config.contexts.get(name);
  if (context === undefined) throw missing("context", name, config.contexts);
  const cluster = config.clusters.get(context.cluster);
  if (cluster === undefined) throw missing("cluster", context.cluster, config.clusters);
  const user = context.user === undefined ? {} : config.users.get(context.user);
  if (user === undefined) throw missing("user", context.user ?? "", config.users);
  return {
    server: serverUrl(context.cluster, cluster),
    tls: tlsOptions(context.cluster, cluster, user),
    credentials: credentialsOf(context.user ?? "", user, cluster),
    headers: impersonation(context.user ?? "", user),
    namespace: context.namespace ?? "default",
    origin: `context ${name}`,
  };
}

/** The same cluster as somebody else: nothing of the credentials that the access had is left. */
export function accessWithToken(access: ClusterAccess, token: string): ClusterAccess {
  const { cert: _cert, key: _key, ...tls } = access.tls;
  const { headers: _impersonation, ...rest } = access;
  return { ...rest, tls, credentials: fixedHeader(`Bearer ${token}`) };
}

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The access a pod has to its own cluster, or undefined outside of one. */
export function inClusterAccess(
  environment: Readonly<Record<string, string | undefined>>,
  folder = serviceAccountFolder,
): ClusterAccess | undefined {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = environment;
  const tokenFile = `${folder}/token`;
  if (host === "" || port === "" || !existsSync(tokenFile)) return undefined;
  const address = host.includes(":") ? `[${host}]` : host;
  const [authority, namespaceFile] = [`${folder}/ca.crt`, `${folder}/namespace`];
  return {
    server: new URL(`https://${address}:${port}`),
    tls: existsSync(authority) ? { ca: readFileSync(authority) } : {},
    credentials: fileToken(tokenFile),
    namespace: existsSync(namespaceFile) ? readFileSync(namespaceFile, "utf8").trim() : "default",
    origin: "the service account of this pod",
  };
}

function missing(what: string, name: string, known: ReadonlyMap<string, unknown>): UserError {
  return new UserError({
    problem: `the kubeconfig has no ${what} "${name}"`,
    fix: `it knows ${[...known.keys()].join(", ") || "none"}`,
  });
}

function serverUrl(name: string, cluster: Cluster): URL {
  if (cluster["proxy-url"] !== undefined) {
    throw new UserError({
      problem: `cluster "${name}" sets proxy-url, which lockstep does not support`,
      fix: "reach the API server directly or through `kubectl proxy`",
    });
  }
  const server = cluster.server ?? "http://localhost:8080";
  try {
    return new URL(server);
  } catch {
    throw new UserError({
      problem: `cluster "${name}" has server "${server}", which is no URL`,
      fix: "write it as https://HOST:PORT",
    });
  }
}

function tlsOptions(name: string, cluster: Cluster, user: User): ClusterAccess["tls"] {
  const ca = material(cluster["certificate-authority-data"], cluster["certificate-authority"]);
  if (ca !== undefined && cluster["insecure-skip-tls-verify"] === true) {
    throw new UserError({
      problem: `cluster "${name}" has a certificate authority and says insecure-skip-tls-verify`,
      fix: "keep one of the two; the certificate authority is the safe one",
    });
  }
  const cert = material(user["client-certificate-data"], user["client-certificate"]);
  const key = material(user["client-key-data"], user["client-key"]);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(cluster["insecure-skip-tls-verify"] === true ? { rejectUnauthorized: false } : {}),
    ...(cluster["tls-server-name"] === undefined ? {} : { servername: cluster["tls-server-name"] }),
  };
}

/** Inline data wins over a file, as in kubectl. */
function material(data: string | undefined, file: string | undefined): Buffer | undefined {
  if (data !== undefined && data !== "") return Buffer.from(data, "base64");
  if (file === undefined || file === "") return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UserError({
      problem: `the kubeconfig names ${file}, which cannot be read: ${(error as Error).message}`,
      fix: "correct the path in the kubeconfig",
    });
  }
}

function credentialsOf(name: string, user: User, cluster: Cluster): Credentials {
  if (user["auth-provider"] !== undefined) {
    throw new UserError({
      problem: `user "${name}" uses auth-provider, which Kubernetes removed in 1.26`,
      fix: "use an exec plugin instead",
    });
  }
  // The inline token is used until the file can be read.
  if ((user.tokenFile ?? "") !== "") return fileToken(user.tokenFile ?? "", user.token);
  if (user.token !== undefined && user.token !== "") return fixedHeader(`Bearer ${user.token}`);
  if (user.username !== undefined && user.username !== "") {
    const pair = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
    return fixedHeader(`Basic ${pair}`);
  }
  if (user.exec !== undefined) return execCredentials(user.exec, cluster);
  return noCredentials;
}

function impersonation(name: string, user: User): ClusterAccess["headers"] {
  const { as, "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = user;
  const hasMore = uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0;
  if (as === undefined || as === "") {
    if (!hasMore) return {};
    throw new UserError({
      problem: `user "${name}" impersonates a group, uid or extra without a user`,
      fix: "add `as` to the user of the kubeconfig",
    });
  }
  return {
    "impersonate-user": as,
    ...(uid === undefined ? {} : { "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": [...groups] }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${escapeKey(key)}`, values]),
    ),
  };
}

/** Header names allow few characters; the others are percent-encoded, as in a URL. */
const escapeKey = (key: string): string =>
  encodeURIComponent(key).replace(
    /[()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
