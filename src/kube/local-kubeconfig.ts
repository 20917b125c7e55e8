/** A kubeconfig that nobody named, found in the working directory: whose it must be, and what of it is used. */
import { statSync } from "node:fs";
import { UserError } from "../api/user-error.ts";
import type { Cluster, Kubeconfig, User } from "./kubeconfig.ts";
import { loadKubeconfig } from "./kubeconfig.ts";

/**
 * A folder may come from anybody, so of its kubeconfig only the address, the token and the certificate of the server
 * are used: no plugin is run, no other file is read, and no check is switched off.
 */
export function loadLocalKubeconfig(file: string, userId = process.getuid?.()): Kubeconfig {
  assertOwn(file, userId);
  const { clusters, users, contexts, currentContext } = loadKubeconfig([file], true);
  return {
    currentContext,
    contexts,
    clusters: mapped(clusters, ({ server, ...more }): Cluster => {
      const data = more["certificate-authority-data"];
      return { ...text({ server }), ...text({ "certificate-authority-data": data }) };
    }),
    users: mapped(users, ({ token }): User => text({ token })),
  };
}

function assertOwn(file: string, userId: number | undefined): void {
  const { uid, mode } = statSync(file);
  // Systems without user ids have no other users to distinguish here.
  if (userId === undefined) return;
  const fix = "name a kubeconfig that you trust with --kubeconfig, or remove this one";
  if (uid !== userId) throw new UserError({ problem: `${file} belongs to another user`, fix });
  if ((mode & 0o022) !== 0) {
    throw new UserError({ problem: `${file} can be written by other users`, fix });
  }
}

function mapped<T>(entries: ReadonlyMap<string, T>, map: (entry: T) => T): ReadonlyMap<string, T> {
  return new Map([...entries].map(([name, entry]) => [name, map(entry)]));
}

const text = <T extends object>(fields: T): Partial<T> =>
  Object.values(fields).every((value) => typeof value === "string") ? fields : {};
