/** Which binaries a real control plane is made of, and how each is built from its Go module. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const binaryNames = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "kubectl",
  "kwok",
  "lws",
] as const;

export type BinaryName = (typeof binaryNames)[number];

interface Recipe {
  /** Folder with the go.mod that pins every dependency. */
  readonly moduleFolder: string;
  readonly goPackage: string;
  readonly linkerFlags: string;
}

const modulesFolder = dirname(fileURLToPath(import.meta.url));
const moduleFolder = (name: string): string => join(modulesFolder, name);
const goMod = (name: string): string => readFileSync(join(moduleFolder(name), "go.mod"), "utf8");

/** The Kubernetes version that the `k8s` module requires: `v1.36.3`. */
export function kubernetesVersion(): string {
  const found = /k8s\.io\/kubernetes (v[\d.]+)/.exec(goMod("k8s"));
  if (found?.[1] === undefined) throw new Error("tools/control-plane/k8s/go.mod names no version");
  return found[1];
}

/** The oldest Go that the modules accept: `1.26.0`. */
export function requiredGoVersion(): string {
  return /^go ([\d.]+)$/m.exec(goMod("k8s"))?.[1] ?? "1.26.0";
}

/** Without these the binaries call themselves v0.0.0, and feature gates and kubectl's skew check go wrong. */
function versionFlags(version: string): string {
  const [major, minor] = version.slice(1).split(".");
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.entries(variables)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(" ");
}

export function recipe(name: BinaryName): Recipe {
  const stripped = "-s -w";
  if (name === "etcd") {
    const goPackage = "go.etcd.io/etcd/server/v3";
    return { moduleFolder: moduleFolder("etcd"), goPackage, linkerFlags: stripped };
  }
  if (name === "kwok") {
    const goPackage = "sigs.k8s.io/kwok/cmd/kwok";
    return { moduleFolder: moduleFolder("kwok"), goPackage, linkerFlags: stripped };
  }
  if (name === "lws") {
    const goPackage = "sigs.k8s.io/lws/cmd";
    return { moduleFolder: moduleFolder("lws"), goPackage, linkerFlags: stripped };
  }
  return {
    moduleFolder: moduleFolder("k8s"),
    goPackage: `k8s.io/kubernetes/cmd/${name}`,
    linkerFlags: `${stripped} ${versionFlags(kubernetesVersion())}`,
  };
}

/** Changes whenever a binary would come out differently, so an old one is built anew. */
export function recipeStamp(name: BinaryName): string {
  const { moduleFolder: folder, goPackage, linkerFlags } = recipe(name);
  const hash = createHash("sha256").update(`${goPackage}\n${linkerFlags}\n`);
  for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(folder, file)));
  return `${hash.digest("hex")}\n`;
}

/** One folder per Kubernetes version under the user's cache. */
export function binariesFolder(): string {
  const userCache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const cache = process.env.LOCKSTEP_CACHE || join(userCache, "lockstep");
  return join(cache, "control-plane", kubernetesVersion());
}
