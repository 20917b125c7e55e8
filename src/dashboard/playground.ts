/** What a visitor may start and break: only the embedded cluster has one. */

/** A node as the page draws it. */
export interface NodeSummary {
  readonly name: string;
  readonly isReady: boolean;
  /** A node that was lost a moment ago is still called ready. */
  readonly answers: boolean;
  readonly isCordoned: boolean;
  readonly gpus: number;
  readonly gpusTaken: number;
  readonly pods: number;
}

/** Something to look at, started by one click. */
export interface Sample {
  readonly name: string;
  readonly title: string;
  readonly shows: string;
}

export interface Started {
  /** What was started. */
  readonly message: string;
  /** The rollout to look at. */
  readonly opens?: string;
}

export interface Playground {
  nodes(): readonly NodeSummary[];
  readonly samples: readonly Sample[];
  start(sample: string): Promise<Started>;
  crashPod(namespace: string, name: string): Promise<void>;
  cordon(node: string, isCordoned: boolean): Promise<void>;
  loseNode(node: string): void;
  recoverNode(node: string): void;
  /** An image that no node can pull. */
  readonly brokenImage: string;
}
