/** The kubeconfig of the embedded cluster: readable by its owner only, and never written over another one. */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { stringify } from "yaml";
import { UserError } from "../api/user-error.ts";
import { loadKubeconfig } from "../kube/kubeconfig.ts";

const name = "lockstep";

export interface Address {
  readonly url: string;
  readonly token: string;
  /** PEM, for https. */
  readonly certificate?: string;
}

/** Checks that the file may be written before anything is started. */
export function requireWritable(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const probe = draftName(file);
    writeExclusively(probe, "");
    rmSync(probe);
  } catch (error) {
    throw new UserError({
      problem: `cannot write the kubeconfig ${file}: ${(error as Error).message}`,
      fix: "choose another place with --kubeconfig FILE",
    });
  }
  if (existsSync(file) && !isOurs(file)) {
    throw new UserError({
      problem: `${file} is a kubeconfig with other clusters in it, and would be overwritten`,
      fix: "choose a file of its own with --kubeconfig FILE",
    });
  }
}

export function writeKubeconfig(file: string, { url, token, certificate }: Address): void {
  const text = stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: {
          server: url,
          ...(certificate === undefined
            ? {}
            : { "certificate-authority-data": Buffer.from(certificate).toString("base64") }),
        },
      },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
    "current-context": name,
  });
  const draft = draftName(file);
  writeExclusively(draft, text);
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

/** Fails where anything is there already: a file that others can read, or a link to one of theirs. */
export function writeExclusively(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flag: "wx" });
}

const draftName = (file: string): string => `${file}.${randomBytes(6).toString("hex")}`;

/** Removes the file unless another cluster has written its own in the meantime. */
export function removeKubeconfig(file: string, token: string): void {
  try {
    if (readFileSync(file, "utf8").includes(token)) rmSync(file);
  } catch {
    // It is gone already.
  }
}

function isOurs(file: string): boolean {
  try {
    const { clusters } = loadKubeconfig([file], true);
    return [...clusters.keys()].every((cluster) => cluster === name);
  } catch {
    return readFileSync(file, "utf8").trim() === "";
  }
}
