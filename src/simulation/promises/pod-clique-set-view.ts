/** What the PodCliqueSets of a scenario consist of, kept up to date event by event so that checks are cheap. */
import type { ControllerRevision } from "../../api/apps.ts";
import { controllerRevisionResource } from "../../api/apps.ts";
import type { DefaultedScalingGroup, DefaultedSetSpec } from "../../api/grove/defaults.ts";
import { withDefaults } from "../../api/grove/defaults.ts";
import { labelKeys } from "../../api/grove/labels.ts";
import { componentName, memberName } from "../../api/grove/names.ts";
import type { PodClique } from "../../api/grove/podclique.ts";
import { podCliqueResource } from "../../api/grove/podclique.ts";
import type { PodCliqueSet } from "../../api/grove/podcliqueset.ts";
import { podCliqueSetResource } from "../../api/grove/podcliqueset.ts";
import type { PodGang } from "../../api/grove/podgang.ts";
import { podGangResource } from "../../api/grove/podgang.ts";
import type { PodCliqueScalingGroup } from "../../api/grove/scaling-group.ts";
import { scalingGroupResource } from "../../api/grove/scaling-group.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { isReady, podResource } from "../../api/pod.ts";
import type { Resource } from "../../api/resource.ts";
import {
  parseRevision,
  recordedCliques,
  revisionAnnotation,
} from "../../controllers/grove/set-revisions.ts";
import type { Client } from "../../runtime/client.ts";
import { controllerUid } from "../../runtime/object-store.ts";
import type { See } from "../follow.ts";
import { follow } from "../follow.ts";
import { defaultStaleMs, Recent } from "./recent.ts";
import { isTerminating } from "../scenario-kind.ts";

/** Where an object stands, by its labels. */
export interface Place {
  readonly set: string;
  readonly setReplica: number;
  readonly group: string | undefined;
  readonly groupReplica: number;
}

export function placeOf({ metadata: { labels = {} } }: KubeObject): Place {
  return {
    set: labels[labelKeys.partOf] ?? "",
    setReplica: Number(labels[labelKeys.setReplicaIndex]),
    group: labels[labelKeys.scalingGroup],
    groupReplica: Number(labels[labelKeys.scalingGroupReplicaIndex]),
  };
}

export interface Listeners {
  /** The status says that the update of a replica has begun. */
  readonly began: (place: Pick<Place, "set" | "setReplica">) => void;
  pod: See<Pod>;
  clique: See<PodClique>;
  group: See<PodCliqueScalingGroup>;
}

export class PodCliqueSetView {
  readonly now: () => number;
  readonly #began: Listeners["began"];
  readonly #cliques = new Map<string, PodClique>();
  readonly #groups = new Map<string, PodCliqueScalingGroup>();
  readonly #specs = new Map<string, Recent<DefaultedSetSpec>>();
  readonly #targets = new Map<string, string>();
  readonly #sizes = new Map<string, Recent<number>>();
  readonly #pods = new Map<string, Map<string, Pod>>();
  readonly #scheduledGangs = new Set<string>();
  /** When gangs that had been scheduled lost their last pods. */
  readonly #lostGangs = new Map<string, number>();
  readonly gangs = new Map<string, PodGang>();
  /** The replicas of a set that its status says are being updated. */
  readonly announced = new Map<string, ReadonlySet<number>>();
  readonly revisions = new Map<string, Readonly<Record<string, string>>>();
  /** Sets that are gone, and not there again. */
  readonly deletedSets = new Set<string>();

  constructor(client: Client, now: () => number, listeners: Listeners) {
    this.now = now;
    this.#began = listeners.began;
    const see = <T extends KubeObject>(resource: Resource, listener: See<T>): void => {
      follow<T>({ client, resource }, listener);
    };
    see<PodCliqueSet>(podCliqueSetResource, (type, set, before) => {
      const { name = "" } = set.metadata;
      if (type === "DELETED") this.deletedSets.add(name);
      else this.deletedSets.delete(name);
      this.#seeSet(set, before);
    });
    see<PodCliqueScalingGroup>(scalingGroupResource, (type, group, before) => {
      listeners.group(type, group, before);
      keep(this.#groups, type, group);
      this.#seeSize(group, group.spec.replicas ?? 1);
    });
    see<PodGang>(podGangResource, (type, gang) => this.#seeGang(type, gang));
    see<ControllerRevision>(controllerRevisionResource, (_type, object) => {
      const parsed = parseRevision(object);
      if (parsed !== undefined) this.revisions.set(parsed.name, parsed.cliqueHashes);
    });
    see<PodClique>(podCliqueResource, (type, clique, before) => {
      keep(this.#cliques, type, clique);
      this.#seeSize(clique, clique.spec.replicas);
      listeners.clique(type, clique, before);
    });
    see<Pod>(podResource, (type, pod, before) => {
      if (!this.#isOfOperator(pod)) return;
      this.#seePod(type, pod);
      listeners.pod(type, pod, before);
    });
  }

  /** The specs an operator may be acting on, the current one last. */
  specs(set: string): readonly DefaultedSetSpec[] {
    return this.#specs.get(set)?.all() ?? [];
  }

  spec(set: string): DefaultedSetSpec | undefined {
    return this.#specs.get(set)?.current;
  }

  /** What its pods should be made of, as a text to compare. */
  target(set: string): string {
    return this.#targets.get(set) ?? "";
  }

  /** The sizes of a clique or group an operator may be acting on. */
  sizes(name: string): readonly number[] {
    return this.#sizes.get(name)?.all() ?? [];
  }

  clique(name: string): PodClique | undefined {
    const found = this.#cliques.get(name);
    return found === undefined || isTerminating(found) ? undefined : found;
  }

  group(name: string): PodCliqueScalingGroup | undefined {
    const found = this.#groups.get(name);
    return found === undefined || isTerminating(found) ? undefined : found;
  }

  /** The templates of the revision that a group should move to. */
  targetsOf(group: string): ReadonlySet<string> {
    const revision = this.#groups.get(group)?.metadata.annotations?.[revisionAnnotation] ?? "";
    return new Set(Object.values(this.revisions.get(revision) ?? {}));
  }

  cliques(): readonly PodClique[] {
    return [...this.#cliques.values()].filter((clique) => !isTerminating(clique));
  }

  /** Terminating ones too. */
  podsOf(clique: string): readonly Pod[] {
    return [...(this.#pods.get(clique)?.values() ?? [])];
  }

  podsOfReplica(set: string, setReplica: number): readonly Pod[] {
    return [...this.#pods.values()]
      .flatMap((pods) => [...pods.values()])
      .filter((pod) => {
        const place = placeOf(pod);
        return place.set === set && place.setReplica === setReplica;
      });
  }

  readyPods(clique: string): number {
    return this.podsOf(clique).filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  }

  /** By what its status has said since it was last empty, or by its pods: a status may be late. */
  hasBeenScheduled({ metadata, spec }: PodGang): boolean {
    const hasNodes = spec.podgroups.every(
      ({ name, minReplicas }) =>
        this.podsOf(name).filter((pod) => pod.spec.nodeName !== undefined && !isTerminating(pod))
          .length >= minReplicas,
    );
    return hasNodes || this.#scheduledGangs.has(metadata.uid ?? "");
  }

  cliqueServes(name: string): boolean {
    const clique = this.clique(name);
    if (clique === undefined) return false;
    return this.readyPods(name) >= (clique.spec.minAvailable ?? clique.spec.replicas);
  }

  /** The names of a group replica's cliques. */
  members(place: Place, template: DefaultedScalingGroup, groupReplica: number): string[] {
    const { set, setReplica } = place;
    return template.cliqueNames.map((clique) =>
      memberName({ set, setReplica, group: template.name, groupReplica, clique }),
    );
  }

  templateOf(spec: DefaultedSetSpec, place: Place): DefaultedScalingGroup | undefined {
    const { set, setReplica, group } = place;
    return spec.template.podCliqueScalingGroups.find(
      ({ name }) => componentName({ set, setReplica, component: name }) === group,
    );
  }

  #seeSet(
    { metadata: { name = "", generation }, spec, status }: PodCliqueSet,
    before?: PodCliqueSet,
  ): void {
    const updating = status?.updateProgress?.currentlyUpdating ?? [];
    const known = this.announced.get(name);
    this.announced.set(name, new Set(updating.map(({ replicaIndex }) => replicaIndex)));
    for (const { replicaIndex: setReplica } of updating)
      if (known?.has(setReplica) !== true) this.#began({ set: name, setReplica });
    if (before?.metadata.generation === generation) return;
    const recent = this.#specs.get(name) ?? new Recent<DefaultedSetSpec>(this.now);
    this.#specs.set(name, recent);
    recent.set(withDefaults(spec));
    this.#targets.set(name, JSON.stringify(recordedCliques(spec.template.cliques)));
  }

  #seeSize({ metadata: { name = "" } }: KubeObject, size: number): void {
    const recent = this.#sizes.get(name) ?? new Recent<number>(this.now);
    this.#sizes.set(name, recent);
    recent.set(size);
  }

  /** Labels alone make nobody a part of a set: people copy them. An orphan was a part, and may be adopted again. */
  #isOfOperator(pod: Pod): boolean {
    const { name = "", labels = {} } = pod.metadata;
    const isKnown = this.#pods.get(labels[labelKeys.podClique] ?? "")?.has(name) === true;
    return isKnown || controllerUid(pod).length > 0;
  }

  #seePod(type: string, pod: Pod): void {
    const clique = pod.metadata.labels?.[labelKeys.podClique] ?? "";
    const known = this.#pods.get(clique) ?? new Map<string, Pod>();
    this.#pods.set(clique, known);
    keep(known, type, pod);
    if (type === "DELETED" && known.size === 0) this.#forgetEmptyGang(pod);
  }

  /** It counts a little longer: operators may still see its last pods. */
  wasScheduledLately(gang: PodGang): boolean {
    const lostAtMs = this.#lostGangs.get(gang.metadata.uid ?? "") ?? Number.NEGATIVE_INFINITY;
    return this.hasBeenScheduled(gang) || this.now() - lostAtMs <= defaultStaleMs;
  }

  /** A gang of which nothing is left starts over. */
  #forgetEmptyGang(pod: Pod): void {
    const gang = this.gangs.get(pod.metadata.labels?.[labelKeys.podGang] ?? "");
    const groups = gang?.spec.podgroups ?? [];
    const { uid = "" } = gang?.metadata ?? {};
    if (groups.some(({ name }) => this.podsOf(name).length > 0)) return;
    if (this.#scheduledGangs.delete(uid)) this.#lostGangs.set(uid, this.now());
  }

  #seeGang(type: string, gang: PodGang): void {
    keep(this.gangs, type, gang);
    const isScheduled = gang.status?.conditions?.some(
      (condition) => condition.type === "Scheduled" && condition.status === "True",
    );
    if (isScheduled === true) this.#scheduledGangs.add(gang.metadata.uid ?? "");
  }
}

function keep<T extends KubeObject>(known: Map<string, T>, type: string, object: T): void {
  const { name = "" } = object.metadata;
  if (type === "DELETED") known.delete(name);
  else known.set(name, object);
}
