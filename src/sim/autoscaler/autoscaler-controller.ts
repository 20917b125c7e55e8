/** Plays the autoscaler of a cluster: every fifteen seconds it sizes each target by the simulated load. */
import { autoscalerResource } from "../../api/autoscaler.ts";
import { customResourceDefinitionResource } from "../../api/definition/custom-kind.ts";
import type { KubeObject, ObjectKey } from "../../api/object.ts";
import type { Pod } from "../../api/pod.ts";
import { isReady, podResource } from "../../api/pod.ts";
import type { Resource } from "../../api/resource.ts";
import { isNotFound } from "../../api/status.ts";
import { timeText } from "../../api/time-text.ts";
import { Cache } from "../../runtime/cache.ts";
import type { Client } from "../../runtime/client.ts";
import type { Clock } from "../../runtime/clock.ts";
import { Controller, watch } from "../../runtime/controller.ts";
import type { EventRecorder } from "../../runtime/event-recorder.ts";
import { eventRecorder } from "../../runtime/event-recorder.ts";
import { keyOf, keyText } from "../../runtime/object-store.ts";
import type { ScalingHistory } from "./pace.ts";
import { noHistory, withChange } from "./pace.ts";
import type { AutoscalerSpec, ConditionText, Recommendation } from "./recommend.ts";
import { recommend } from "./recommend.ts";

export interface AutoscalerOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Called with every error that will be retried. */
  readonly onProblem?: (problem: unknown) => void;
}

/** Resolves when the controller of HorizontalPodAutoscalers runs. */
export async function startAutoscaling(options: AutoscalerOptions): Promise<AutoscalerController> {
  const controller = new AutoscalerController(options);
  await controller.start();
  return controller;
}

interface Condition extends ConditionText {
  readonly lastTransitionTime: string;
}

interface Autoscaler extends KubeObject {
  readonly spec: AutoscalerSpec;
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly lastScaleTime?: string;
  };
}

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** Upstream's horizontal-pod-autoscaler-sync-period. */
const periodMs = 15_000;

export class AutoscalerController {
  readonly #options: AutoscalerOptions & { readonly events: EventRecorder };
  readonly #autoscalers: Cache<Autoscaler>;
  readonly #controller: Controller;
  readonly #histories = new Map<string, ScalingHistory>();
  /** The resource of each kind that was scaled so far. */
  readonly #resources = new Map<string, Resource>();

  constructor(options: AutoscalerOptions) {
    const { client, clock, onProblem } = options;
    const events = eventRecorder({
      client,
      clock,
      component: "horizontal-pod-autoscaler",
      onProblem,
    });
    this.#options = { ...options, events };
    const resource = autoscalerResource;
    this.#autoscalers = new Cache<Autoscaler>({ client, clock, onProblem, resource });
    this.#controller = new Controller({
      name: "horizontal-pod-autoscaler",
      client,
      clock,
      // What it writes itself must not bring it back before its period is over.
      watches: [watch(this.#autoscalers, undefined, (change) => (isAsked(change) ? 0 : undefined))],
      reconcile: (key) => this.#reconcile(key),
      observer: {
        reconciled: (_key, { error }) => (error === undefined ? undefined : onProblem?.(error)),
      },
    });
  }

  async start(): Promise<void> {
    this.#autoscalers.start();
    await this.#controller.start();
  }

  async stop(): Promise<void> {
    await this.#controller.stop();
    this.#autoscalers.stop();
  }

  async #reconcile(key: ObjectKey): Promise<{ recheckAfterMs: number } | void> {
    const autoscaler = this.#autoscalers.get(keyText(key));
    if (autoscaler === undefined) return void this.#histories.delete(keyText(key));
    const { name, kind, apiVersion = "" } = autoscaler.spec.scaleTargetRef;
    const { namespace } = autoscaler.metadata;
    const resource = await this.#resourceOf(apiVersion, kind);
    const target = { namespace, name };
    const scale = resource && (await this.#scaleOf(resource, target));
    if (resource === undefined || scale === undefined) await this.#lost(autoscaler);
    else await this.#follow(autoscaler, { resource, target, scale });
    return { recheckAfterMs: periodMs };
  }

  async #follow(
    autoscaler: Autoscaler,
    { resource, target, scale }: { resource: Resource; target: ObjectKey; scale: Scale },
  ): Promise<void> {
    const { client, clock, events } = this.#options;
    const key = keyOf(autoscaler);
    const replicas = scale.spec?.replicas ?? 0;
    const nowMs = clock.now();
    const pods = await this.#readyPods(target.namespace, scale.status?.selector);
    const recommendation = recommend({
      spec: autoscaler.spec,
      annotations: autoscaler.metadata.annotations ?? {},
      target: {
        replicas,
        observedReplicas: scale.status?.replicas ?? 0,
        readyPods: pods.length,
        withoutRequest: (asked) => withoutRequest(pods, asked),
      },
      history: this.#histories.get(key) ?? noHistory,
      nowMs,
    });
    this.#histories.set(key, recommendation.history);
    const by = recommendation.replicas - replicas;
    if (by !== 0) {
      const body = { spec: { replicas: recommendation.replicas } };
      await client.patch(resource, target, { type: "merge", body }, { subresource: "scale" });
      this.#histories.set(key, withChange(recommendation.history, by, nowMs));
      const message = `New size: ${recommendation.replicas}; reason: ${recommendation.why}`;
      events.record(autoscaler, { type: "Normal", reason: "SuccessfulRescale", message });
    }
    await this.#report(autoscaler, scale, { ...recommendation, isRescaled: by !== 0 });
  }

  async #lost(autoscaler: Autoscaler): Promise<void> {
    const { kind, name } = autoscaler.spec.scaleTargetRef;
    const why = `${kind} ${name} does not exist or cannot be scaled`;
    const message = `the HPA controller was unable to get the target's current scale: ${why}`;
    const lost: ConditionText = {
      type: "AbleToScale",
      status: "False",
      reason: "FailedGetScale",
      message,
    };
    await this.#writeStatus(autoscaler, {}, [lost]);
  }

  async #report(
    autoscaler: Autoscaler,
    scale: Scale,
    { replicas, conditions, currentMetrics, isRescaled }: Recommendation & { isRescaled: boolean },
  ): Promise<void> {
    const reported = conditions.map((condition) =>
      condition.type === "AbleToScale" && isRescaled
        ? {
            ...condition,
            reason: "SucceededRescale",
            message: `the HPA controller was able to update the target scale to ${replicas}`,
          }
        : condition,
    );
    const status = {
      currentReplicas: scale.status?.replicas ?? 0,
      desiredReplicas: replicas,
      currentMetrics: currentMetrics.length === 0 ? null : currentMetrics,
      ...(isRescaled ? { lastScaleTime: timeText(this.#options.clock.now()) } : {}),
    };
    await this.#writeStatus(autoscaler, status, reported);
  }

  async #writeStatus(
    autoscaler: Autoscaler,
    status: object,
    reported: readonly ConditionText[],
  ): Promise<void> {
    const { client, clock, events } = this.#options;
    const { namespace, name = "" } = autoscaler.metadata;
    const before = autoscaler.status?.conditions ?? [];
    const conditions = reported.map((condition) => {
      const old = before.find(({ type }) => type === condition.type);
      const isNew = old?.status !== condition.status || old.reason !== condition.reason;
      if (isNew && condition.status === "False" && condition.type !== "ScalingLimited") {
        const { reason, message } = condition;
        events.record(autoscaler, { type: "Warning", reason, message });
      }
      const lastTransitionTime =
        old?.status === condition.status ? old.lastTransitionTime : timeText(clock.now());
      return { ...condition, lastTransitionTime };
    });
    const patch = { type: "merge", body: { status: { ...status, conditions } } } as const;
    const options = { subresource: "status" };
    await orGone(client.patch(autoscalerResource, { namespace, name }, patch, options));
  }

  async #scaleOf(resource: Resource, target: ObjectKey): Promise<Scale | undefined> {
    return orGone(this.#options.client.get<Scale>(resource, target, "scale"));
  }

  async #readyPods(
    namespace: string | undefined,
    labelSelector: string | undefined,
  ): Promise<readonly Pod[]> {
    if (labelSelector === undefined) return [];
    const selection = { ...(namespace === undefined ? {} : { namespace }), labelSelector };
    const { items } = await this.#options.client.list<Pod>(podResource, selection);
    return items.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
  }

  async #resourceOf(apiVersion: string, kind: string): Promise<Resource | undefined> {
    const known = this.#resources.get(`${apiVersion}/${kind}`);
    if (known !== undefined) return known;
    const [group = "", version = ""] = apiVersion.split("/");
    const plural = group === "apps" ? builtin[kind] : await this.#customPlural(group, kind);
    if (plural === undefined) return undefined;
    const resource = { group, version, plural, kind, namespaced: true };
    this.#resources.set(`${apiVersion}/${kind}`, resource);
    return resource;
  }

  async #customPlural(group: string, kind: string): Promise<string | undefined> {
    const { items } = await this.#options.client.list<Definition>(customResourceDefinitionResource);
    return items.find(({ spec }) => spec.group === group && spec.names.kind === kind)?.spec.names
      .plural;
  }
}

/** In upstream's words. */
function withoutRequest(pods: readonly Pod[], asked: string): string | undefined {
  for (const { metadata, spec } of pods) {
    const container = spec.containers.find(({ resources: { requests, limits } = {} }) => {
      return requests?.[asked] === undefined && limits?.[asked] === undefined;
    });
    if (container !== undefined) return `container ${container.name} of Pod ${metadata.name}`;
  }
  return undefined;
}

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
  };
}

const builtin: Readonly<Record<string, string>> = {
  Deployment: "deployments",
  ReplicaSet: "replicasets",
  StatefulSet: "statefulsets",
};

type Change = Parameters<Parameters<Cache<Autoscaler>["onChange"]>[0]>[0];

/** A new autoscaler, another spec, another load. */
function isAsked(change: Change): boolean {
  if (change.type !== "updated") return true;
  const asked = ({ spec, metadata }: Autoscaler): string =>
    JSON.stringify([spec, metadata.annotations]);
  return asked(change.old) !== asked(change.object);
}

async function orGone<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
