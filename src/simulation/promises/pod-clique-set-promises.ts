/** What holds in every scenario of PodCliqueSets after every event, with limits read from the live specs. */
import { labelKeys } from "../../api/grove/labels.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import type { Pod } from "../../api/pod.ts";
import { revisionAnnotation } from "../../controllers/grove/set-revisions.ts";
import { CreationPromises } from "./creation-promises.ts";
import { BudgetPromises } from "./budget-promises.ts";
import { placeOf, PodCliqueSetView } from "./pod-clique-set-view.ts";
import type { KindPromises, Watched } from "../scenario-kind.ts";
import { isServing, isTerminating } from "../scenario-kind.ts";
import { RecentRequests } from "./recent.ts";

/** What its pods are made from. */
const targetOf = ({ metadata, kind }: PodClique | PodCliqueScalingGroup): string | undefined =>
  kind === "PodClique"
    ? metadata.labels?.[labelKeys.podTemplateHash]
    : metadata.annotations?.[revisionAnnotation];

export class PodCliqueSetPromises implements KindPromises {
  readonly #requested: RecentRequests;
  readonly #view: PodCliqueSetView;
  readonly #budgets: BudgetPromises;
  readonly #creations: CreationPromises;
  readonly #report: (violation: string) => void;

  constructor({ client, clock, report }: Watched) {
    const startMs = clock.now();
    this.#requested = new RecentRequests(() => clock.now());
    const reportAt = (violation: string): void =>
      report(`${((clock.now() - startMs) / 1000).toFixed(1)}s: ${violation}`);
    this.#view = new PodCliqueSetView(client, () => clock.now(), {
      began: (place) => this.#budgets.began(place),
      pod: (type, pod, before) => this.#seePod(type, pod, before),
      clique: (type, clique, before) => this.#seeClique(type, clique, before),
      group: (type, group, before) => {
        this.#checkAnnounced(group, before);
        this.#seeMoved(type, group, before);
      },
    });
    this.#report = reportAt;
    this.#budgets = new BudgetPromises(this.#view, reportAt);
    this.#creations = new CreationPromises(this.#view, reportAt);
  }

  deleteRequested(plural: string, name: string): void {
    this.#requested.add(`${plural}/${name}`);
    const clique = plural === "podcliques" ? this.#view.clique(name) : undefined;
    if (clique !== undefined) this.#budgets.cliqueRequested(clique);
  }

  deleteRefused(plural: string, name: string): void {
    this.#requested.delete(`${plural}/${name}`);
  }

  /** When everything has come to rest: indices without holes, nothing left of a surge. */
  checkAtRest(): void {
    this.#creations.checkAtRest();
  }

  #seePod(type: string, pod: Pod, before: Pod | undefined): void {
    if (pod.metadata.labels?.[labelKeys.podClique] === undefined) return;
    if (type === "ADDED") this.#creations.pod(pod);
    if (type !== "DELETED") this.#creations.gate(pod, before);
    if (this.#isDeleted("pods", type, pod, before) && before !== undefined && isServing(before)) {
      this.#budgets.podTaken(pod);
    }
    if (type !== "DELETED" && isServing(pod)) this.#budgets.podServes(pod);
  }

  /** Whoever takes over reads in the status which replicas are on their way: it is written before they are touched. */
  #checkAnnounced(
    object: PodClique | PodCliqueScalingGroup,
    before: PodClique | PodCliqueScalingGroup | undefined,
  ): void {
    const { set, setReplica, group } = placeOf(object);
    const specs = this.#view.specs(set);
    const isMember = object.kind === "PodClique" && group !== undefined;
    if (before === undefined || isMember || targetOf(before) === targetOf(object)) return;
    // Where cliques are alone, nobody announces anything.
    if (specs.length === 0) return;
    // Under OnDelete nothing moves by itself, and what leaves is not updated.
    if (specs.some(({ updateStrategy }) => updateStrategy.type === "OnDelete")) return;
    if (specs.some(({ replicas }) => setReplica >= replicas)) return;
    if (this.#view.announced.get(set)?.has(setReplica) === true) return;
    const { name } = object.metadata;
    this.#report(`${name} is changed before the status of ${set} announces replica ${setReplica}`);
  }

  #seeMoved(
    type: string,
    object: PodClique | PodCliqueScalingGroup,
    before: PodClique | PodCliqueScalingGroup | undefined,
  ): void {
    const isGone = type === "DELETED";
    const isMoved = before !== undefined && targetOf(before) !== targetOf(object);
    if (isGone || isMoved) this.#creations.moved(object, placeOf(object), isGone);
  }

  #seeClique(type: string, clique: PodClique, before: PodClique | undefined): void {
    this.#checkAnnounced(clique, before);
    this.#seeMoved(type, clique, before);
    if (type === "ADDED") this.#creations.clique(clique);
    if (this.#isDeleted("podcliques", type, clique, before)) this.#budgets.cliqueTaken(clique);
    if (type === "DELETED" || isTerminating(clique)) this.#budgets.cliqueGone(clique);
  }

  /** It was deleted just now, and by the operator. */
  #isDeleted(
    plural: string,
    type: string,
    object: Pod | PodClique,
    before: Pod | PodClique | undefined,
  ): boolean {
    const key = `${plural}/${object.metadata.name}`;
    const goesNow = isTerminating(object) || type === "DELETED";
    const isNews = goesNow && before !== undefined && !isTerminating(before);
    const isOurs = isNews && this.#requested.has(key);
    if (type === "DELETED") this.#requested.delete(key);
    return isOurs && !Number.isNaN(placeOf(object).setReplica);
  }
}
