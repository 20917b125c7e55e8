/** Why a pod does not fit on nodes, in the words of kube-scheduler. */

/** What would have to change for the pod to fit. Only such changes make the scheduler try again. */
export type Blocker =
  | `resource ${string}`
  | "pods"
  | "ports"
  | "node"
  | "affinity"
  | "anti-affinity"
  | "spread"
  | "gang"
  /** Missing pods of the gang with this key. */
  | `members of ${string}`;

export interface Reason {
  readonly text: string;
  readonly blocker: Blocker;
}

export interface Diagnosis {
  readonly message: string;
  readonly blockers: ReadonlySet<Blocker>;
}

export const reasons = {
  unschedulable: { text: "node(s) were unschedulable", blocker: "node" },
  nodeRules: { text: "node(s) didn't match Pod's node affinity/selector", blocker: "node" },
  ports: {
    text: "node(s) didn't have free ports for the requested pod ports",
    blocker: "ports",
  },
  pods: { text: "Too many pods", blocker: "pods" },
  spread: { text: "node(s) didn't match pod topology spread constraints", blocker: "spread" },
  spreadLabel: {
    text: "node(s) didn't match pod topology spread constraints (missing required label)",
    blocker: "node",
  },
  affinity: { text: "node(s) didn't match pod affinity rules", blocker: "affinity" },
  antiAffinity: { text: "node(s) didn't match pod anti-affinity rules", blocker: "anti-affinity" },
  heldAntiAffinity: {
    text: "node(s) didn't satisfy existing pods anti-affinity rules",
    blocker: "anti-affinity",
  },
  gangDomain: { text: "node(s) were outside the domain of the pod's gang", blocker: "gang" },
} as const satisfies Record<string, Reason>;

export function insufficient(resource: string): Reason {
  return { text: `Insufficient ${resource}`, blocker: `resource ${resource}` };
}

export function untolerated(key: string, value = ""): Reason {
  return { text: `node(s) had untolerated taint {${key}: ${value}}`, blocker: "node" };
}

/** `0/8 nodes are available: 8 Insufficient nvidia.com/gpu. preemption: ...` */
export function diagnose(byNode: readonly (readonly Reason[])[]): Diagnosis {
  if (byNode.length === 0) {
    return { message: "no nodes available to schedule pods", blockers: new Set(["node"]) };
  }
  const helpless = byNode.map(([first]) =>
    first === undefined || first.blocker === "node" || first.blocker === "affinity"
      ? "Preemption is not helpful for scheduling"
      : "No preemption victims found for incoming pod",
  );
  const none = `0/${byNode.length} nodes are available:`;
  const main = histogram(byNode.flat().map(({ text }) => text));
  return {
    message: `${none} ${main}. preemption: ${none} ${histogram(helpless)}.`,
    blockers: new Set(byNode.flat().map(({ blocker }) => blocker)),
  };
}

function histogram(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .map(([text, count]) => `${count} ${text}`)
    .toSorted()
    .join(", ");
}
