/** What holds in every scenario of PodCliqueSets after every event, with limits read from the live specs. */
import { labelKeys } from "../../src/api/grove/labels.ts";
import type { PodClique } from "../../src/api/grove/podclique.ts";
import type { Pod } from "../../src/api/pod.ts";
import { isReady } from "../../src/api/pod.ts";
import type { Client } from "../../src/runtime/client.ts";
import { BirthPromises } from "./birth-promises.ts";
import { Debts } from "./debts.ts";
import { isTerminating, placeOf, SetView } from "./set-view.ts";

export interface SetPromisesOptions {
  readonly client: Client;
  readonly clock: { now(): number };
  readonly report: (broken: string) => void;
}

export class SetPromises {
  readonly #asked = new Set<string>();
  readonly #view: SetView;
  readonly #debts: Debts;
  readonly #births: BirthPromises;

  constructor({ client, clock, report }: SetPromisesOptions) {
    const startMs = clock.now();
    const tell = (broken: string): void =>
      report(`${((clock.now() - startMs) / 1000).toFixed(1)}s: ${broken}`);
    this.#view = new SetView(client, () => clock.now(), {
      pod: (type, pod, before) => this.#seePod(type, pod, before),
      clique: (type, clique, before) => this.#seeClique(type, clique, before),
    });
    this.#debts = new Debts(this.#view, tell);
    this.#births = new BirthPromises(this.#view, tell);
  }

  /** The operator asks for a deletion: only what it takes itself counts against its budget. */
  asks(plural: string, name: string): void {
    this.#asked.add(`${plural}/${name}`);
  }

  refused(plural: string, name: string): void {
    this.#asked.delete(`${plural}/${name}`);
  }

  /** When everything has come to rest: indices without holes, nothing left of a surge. */
  judgeRest(): void {
    this.#births.judgeRest();
  }

  #seePod(type: string, pod: Pod, before: Pod | undefined): void {
    if (pod.metadata.labels?.[labelKeys.podClique] === undefined) return;
    if (type === "ADDED") this.#births.pod(pod);
    if (type !== "DELETED") this.#births.gate(pod, before);
    if (this.#leaves("pods", type, pod, before) && before !== undefined && isReady(before)) {
      this.#debts.podTaken(pod);
    }
    if (type !== "DELETED" && isReady(pod) && !isTerminating(pod)) this.#debts.podServes(pod);
  }

  #seeClique(type: string, clique: PodClique, before: PodClique | undefined): void {
    if (type === "ADDED") this.#births.clique(clique);
    if (this.#leaves("podcliques", type, clique, before)) this.#debts.cliqueTaken(clique);
    if (type === "DELETED" || isTerminating(clique)) this.#debts.cliqueGone(clique);
  }

  /** It was told to go just now, and the operator is who told it. */
  #leaves(
    plural: string,
    type: string,
    object: Pod | PodClique,
    before: Pod | PodClique | undefined,
  ): boolean {
    const key = `${plural}/${object.metadata.name}`;
    const goesNow = isTerminating(object) || type === "DELETED";
    const isNews = goesNow && before !== undefined && !isTerminating(before);
    const isOurs = isNews && this.#asked.has(key);
    if (type === "DELETED") this.#asked.delete(key);
    return isOurs && !Number.isNaN(placeOf(object).setReplica);
  }
}
