/** PodCliqueSets to send to a server: a good one, and changes to it. */
import type { Json } from "../contract/json.ts";

const container = { name: "main", image: "app:v1" };

export interface CliqueParts {
  readonly spec?: Json;
  readonly podSpec?: Json;
  readonly [field: string]: unknown;
}

export function clique(name: string, parts: CliqueParts = {}): Json {
  const { spec = {}, podSpec = {}, ...rest } = parts;
  return {
    name,
    ...rest,
    spec: {
      roleName: name,
      replicas: 2,
      podSpec: { containers: [container], ...podSpec },
      ...spec,
    },
  };
}

export const group = (name: string, cliqueNames: readonly string[], more: Json = {}): Json => ({
  name,
  cliqueNames,
  ...more,
});

export interface SetParts {
  readonly name?: string;
  readonly spec?: Json;
  readonly template?: Json;
}

/** A frontend beside a scaling group of a leader and its workers. */
export function podCliqueSet({ name = "chat", spec = {}, template = {} }: SetParts = {}): Json {
  return {
    apiVersion: "grove.io/v1alpha1",
    kind: "PodCliqueSet",
    metadata: { name },
    spec: {
      replicas: 2,
      ...spec,
      template: {
        cliques: [clique("frontend"), clique("leader"), clique("worker")],
        podCliqueScalingGroups: [group("decode", ["leader", "worker"], { replicas: 2 })],
        ...template,
      },
    },
  };
}

/** The good set with another first clique. */
export const withFrontend = (parts: CliqueParts): SetParts => ({
  template: { cliques: [clique("frontend", parts), clique("leader"), clique("worker")] },
});

export const withGroup = (more: Json): SetParts => ({
  template: { podCliqueScalingGroups: [group("decode", ["leader", "worker"], more)] },
});
