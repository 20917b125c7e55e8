/** What the test and the process of the consumers say to each other, one JSON line each. */

/** How the process reaches the API server. */
export type Connection =
  | { readonly kubeconfig: string }
  | { readonly server: string; readonly token: string };

export interface Setup {
  readonly connection: Connection;
  readonly namespace: string;
}

export type Question =
  /**
   * From now on its decisions are watched, by a watch of their own, and the add-on of its name; what was seen of
   * another one is forgotten.
   */
  | { readonly ask: "follow"; readonly placement: string }
  /**
   * From now on the clusters that stay must be seen after every event. An add-on must stay as long as its cluster has
   * been among the selected ones since all add-ons were last installed as asked.
   */
  | {
      readonly ask: "expect";
      readonly staying: readonly string[];
      readonly selected: readonly string[];
    }
  /** Answers when so many events of decisions were seen: every write is one. */
  | { readonly ask: "seen"; readonly events: number }
  /** Answers when there are exactly these decisions, each with so many clusters, and these clusters in them. */
  | {
      readonly ask: "holds";
      readonly sizes: Readonly<Record<string, number>>;
      readonly of: readonly string[];
    }
  /** Answers when the add-on that is named like the Placement is on each of these clusters, and on no other. */
  | { readonly ask: "installed"; readonly of: readonly string[] }
  | { readonly ask: "report" };

export interface Report {
  /** Events of decisions that were checked. */
  readonly events: number;
  readonly addOnEvents: number;
  /** What broke a promise: who, after which event, and what was missing. */
  readonly losses: readonly string[];
}

export type Message = "ready" | { readonly answer: Report } | { readonly problem: string };
