/** Puts a dashboard together: what it follows, what it may do, and the plans it can play. */
import picocolors from "picocolors";
import type { KubeObject } from "../api/object.ts";
import { kinds } from "../controllers/kinds.ts";
import { DashboardApi } from "../dashboard/api.ts";
import type { Playground } from "../dashboard/playground.ts";
import { RolloutHub } from "../dashboard/rollout-hub.ts";
import { serveDashboard } from "../dashboard/server.ts";
import { durationsOf } from "../preview/durations.ts";
import { edited } from "../preview/edit.ts";
import { kindsAround, loadCluster } from "../preview/load.ts";
import { preview } from "../preview/preview.ts";
import type { ImageChange, RolloutKind } from "../rollouts/kind.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import type { Client } from "../runtime/client.ts";
import { defaultCatalogue } from "../sim/images/catalogue.ts";
import { installDefinitions } from "./definitions.ts";
import type { Io } from "./io.ts";
import { drawPlan } from "./plan-drawing.ts";

export interface DashboardOptions {
  readonly client: Client;
  readonly io: Io;
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly namespace?: string | undefined;
  readonly allowsActions: boolean;
  readonly playground?: Playground;
}

export interface RunningDashboard {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const { client, io, namespace, allowsActions, playground } = options;
  const hub = new RolloutHub({
    client,
    clock: io.clock,
    kinds: rolloutKinds,
    namespace,
    // A kind that is not served or may not be read is simply not shown.
    onProblem: () => undefined,
  });
  const api = new DashboardApi({
    client,
    clock: io.clock,
    hub,
    allowsActions,
    ...(playground === undefined ? {} : { playground }),
    plan: (target, changes) => planned(options, target, changes),
  });
  const server = await serveDashboard({ ...options, api });
  hub.start();
  return {
    url: server.url,
    async stop() {
      hub.stop();
      await server.close();
    },
  };
}

async function planned(
  { client, io }: DashboardOptions,
  { kind, object }: { readonly kind: RolloutKind; readonly object: KubeObject },
  changes: readonly ImageChange[],
): Promise<{ readonly text: string; readonly verdict: string }> {
  const { namespace = "", name = "" } = object.metadata;
  const workload = { resource: kind.resource, key: { namespace, name } };
  const around = kindsAround(kinds, workload);
  const loaded = await loadCluster(client, around, workload);
  const pods = loaded.copied
    .map(({ object: copied }) => copied)
    .filter((copied) => copied["kind"] === "Pod");
  const durations = durationsOf(defaultCatalogue(), pods, {});
  const images = changes.map(({ container, image }) => `${container}=${image}`);
  const { plan, details } = await preview({
    ...loaded,
    kinds: around,
    installDefinitions,
    startMs: io.clock.now(),
    nodes: 8,
    catalogue: durations.catalogue,
    workload,
    change: (current) => edited(current ?? object, { images, fields: [] }),
    durations: durations.words,
  });
  const lines = drawPlan(plan, details, picocolors.createColors(false));
  return { text: lines.join("\n"), verdict: plan.verdict };
}
