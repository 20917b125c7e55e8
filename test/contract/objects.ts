/** The smallest objects that a server accepts, one per kind, with what a test wants to change. */
import type { Json } from "./json.ts";

export const container = (name = "main", image = "nginx"): Json => ({ name, image });

export const podSpec = (changes: Json = {}): Json => ({ containers: [container()], ...changes });

export const pod = (name: string, changes: Json = {}, metadata: Json = {}): Json => ({
  metadata: { name, ...metadata },
  spec: podSpec(changes),
});

export const configMap = (name: string, data: Json = {}, metadata: Json = {}): Json => ({
  metadata: { name, ...metadata },
  data,
});

export const template = (labels: Json = { app: "web" }, spec: Json = podSpec()): Json => ({
  metadata: { labels },
  spec,
});

/** A StatefulSet, Deployment or ReplicaSet. */
export const workload = (name: string, changes: Json = {}): Json => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app: "web" } }, template: template(), ...changes },
});

export const service = (name: string, changes: Json = {}): Json => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...changes },
});
