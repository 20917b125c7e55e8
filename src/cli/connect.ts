/** Connects to the cluster that the connection flags of all commands choose. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { UserError } from "../api/user-error.ts";
import type { ClusterAccess } from "../kube/access.ts";
import { accessWithToken, clusterAccess, inClusterAccess } from "../kube/access.ts";
import type { HttpTransport } from "../kube/http-transport.ts";
import { httpTransport } from "../kube/http-transport.ts";
import { kubeconfigFiles, loadKubeconfig } from "../kube/kubeconfig.ts";
import { loadLocalKubeconfig } from "../kube/local-kubeconfig.ts";
import type { Client } from "../runtime/client.ts";
import { pacedTransport } from "../runtime/paced-transport.ts";
import { restClient } from "../runtime/rest-client.ts";
import type { Transport } from "../runtime/transport.ts";
import { isLocalUsed, localKubeconfig } from "./cluster-flags.ts";
import type { Io } from "./io.ts";

export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
}

export interface Connection {
  readonly transport: Transport;
  readonly client: Client;
  /** The namespace of objects for which none is given. */
  readonly namespace: string;
  /** The same cluster with this token and no other credentials. */
  withToken(token: string): Pick<Connection, "client" | "close">;
  close(): void;
}

export const withConnectionFlags = (command: Command): Command =>
  withClusterFlags(command).option("-n, --namespace <name>", "namespace to work in");

/** For what works in no namespace of its own. */
export const withClusterFlags = (command: Command): Command =>
  command
    .option("--kubeconfig <file>", "kubeconfig to use instead of the default one")
    .option("--context <name>", "context of the kubeconfig to use");

export function connect(flags: ConnectionFlags, io: Io): Connection {
  if (io.cluster !== undefined) {
    const namespace = flags.namespace ?? "default";
    const { cluster: transport } = io;
    const client = restClient(transport);
    const close = (): void => undefined;
    return { transport, client, namespace, close, withToken: () => ({ client, close }) };
  }
  const access = accessFor(flags, io);
  const transport = explainFailures(patient(access, io), access);
  return {
    transport,
    client: restClient(transport),
    namespace: flags.namespace ?? access.namespace,
    withToken: (token) => {
      const other = patient(accessWithToken(access, token), io);
      return { client: restClient(other), close: () => other.close() };
    },
    close: () => transport.close(),
  };
}

/** A server that is busy, or has just learned of a kind, says when to ask again: so it is asked again. */
function patient(access: ClusterAccess, { clock }: Io): HttpTransport {
  const transport = httpTransport(access);
  const paced = pacedTransport(transport, { clock, random: Math.random });
  return { ...paced, close: () => transport.close() };
}

/** Opens a connection, does the work and closes the connection. */
export async function withConnection(
  flags: ConnectionFlags,
  io: Io,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = connect(flags, io);
  try {
    await work(connection);
  } finally {
    connection.close();
  }
}

/**
 * An explicit kubeconfig first, then `$KUBECONFIG`, then the embedded cluster started in this
 * folder, then `~/.kube/config`, then the pod's own service account.
 */
function accessFor(flags: ConnectionFlags, io: Io): ClusterAccess {
  const local = join(io.workingDirectory, localKubeconfig);
  const variable = io.environment["KUBECONFIG"];
  const isUnnamed = flags.kubeconfig === undefined && (variable ?? "") === "";
  if (isLocalUsed(flags.kubeconfig, io)) {
    return clusterAccess(loadLocalKubeconfig(local), flags.context);
  }
  const explicit = flags.kubeconfig;
  const files = kubeconfigFiles(explicit, variable);
  if (files.some((file) => existsSync(file)) || explicit !== undefined) {
    return clusterAccess(loadKubeconfig(files, explicit !== undefined), flags.context);
  }
  const inside = inClusterAccess(io.environment);
  if (inside !== undefined) return inside;
  const named = files.join(", ");
  throw new UserError({
    problem: isUnnamed
      ? `no cluster to talk to: neither ${local} nor ${named} exists`
      : `no cluster to talk to: KUBECONFIG names ${named}, which does not exist`,
    fix: "start the embedded cluster with `npm run up`, or name a kubeconfig with --kubeconfig",
  });
}

function explainFailures(transport: HttpTransport, access: ClusterAccess): HttpTransport {
  const explain = (error: unknown): never => {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ECONNREFUSED" && code !== "ENOTFOUND" && code !== "EAI_AGAIN") throw error;
    throw new UserError({
      problem: `nothing answers at ${access.server.origin} (${access.origin})`,
      fix: "is the cluster running? `npm run up` starts the embedded one",
    });
  };
  return {
    request: (request) => transport.request(request).catch(explain),
    stream: (request, onEvent) => transport.stream(request, onEvent).catch(explain),
    close: () => transport.close(),
  };
}
