/** Puts a dashboard together: what it follows, what it may do, and the plans it can play. */
import type { KubeObject } from "../api/object.ts";
import { kinds } from "../controllers/kinds.ts";
import { DashboardApi } from "../dashboard/api.ts";
import { userOf } from "../dashboard/identity.ts";
import type { Playground } from "../dashboard/playground.ts";
import { RolloutHub } from "../dashboard/rollout-hub.ts";
import type { Door } from "../dashboard/server.ts";
import { serveDashboard } from "../dashboard/server.ts";
import { Sessions } from "../dashboard/sessions.ts";
import { durationsOf } from "../preview/durations.ts";
import { edited, imagesIn } from "../preview/edit.ts";
import { kindsAround, loadCluster } from "../preview/load.ts";
import { preview } from "../preview/preview.ts";
import type { ImageChange, RolloutKind } from "../rollouts/kind.ts";
import { rolloutKinds } from "../rollouts/kinds.ts";
import type { Client } from "../runtime/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { defaultCatalogue } from "../sim/images/catalogue.ts";
import { definitionsOf, installDefinitions } from "./definitions.ts";
import type { Io } from "./io.ts";
import { coloursFor } from "./paint.ts";
import { drawPlan } from "./plan-drawing.ts";

export interface DashboardOptions {
  readonly io: Pick<Io, "clock" | "invocation" | "clusterFlags">;
  readonly host: string;
  readonly port: number;
  /** Of all namespaces where there is none. */
  readonly namespace?: string | undefined;
  readonly allowsActions: boolean;
  /** The time that operators write into their lease; undefined where this process runs the controllers itself. */
  readonly leaseClock?: Clock | undefined;
  readonly entry: AddressEntry | LoginEntry;
}

/** One token for everybody, in the address; the cluster is read with one client. */
export interface AddressEntry {
  readonly client: Client;
  readonly token: string;
  readonly playground?: Playground;
}

/** Everybody signs in with a token of the cluster, and the cluster is read with that. */
export interface LoginEntry {
  readonly withToken: (token: string) => { readonly client: Client; close(): void };
}

export interface RunningDashboard {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const { host, port, entry } = options;
  const { door, stop } = "token" in entry ? addressDoor(options, entry) : loginDoor(options, entry);
  const server = await serveDashboard({ host, port, door });
  return {
    url: server.url,
    async stop() {
      stop();
      await server.close();
    },
  };
}

interface OpenDoor {
  readonly door: Door;
  readonly stop: () => void;
}

function addressDoor(options: DashboardOptions, entry: AddressEntry): OpenDoor {
  const { api, hub } = seenWith(entry.client, options, entry);
  return { door: { kind: "address", token: entry.token, api }, stop: () => hub.stop() };
}

function loginDoor(options: DashboardOptions, { withToken }: LoginEntry): OpenDoor {
  const sessions = new Sessions({
    clock: options.io.clock,
    identify: async (token) => {
      const connection = withToken(token);
      return userOf(connection.client).finally(() => connection.close());
    },
    open: (token, user) => {
      const connection = withToken(token);
      const { api, hub } = seenWith(connection.client, options, { user });
      const stop = (): void => {
        hub.stop();
        api.endStreams();
        connection.close();
      };
      return { api, stop };
    },
  });
  const apiFor = (token: string): Promise<DashboardApi | undefined> => sessions.apiFor(token);
  return { door: { kind: "login", apiFor }, stop: () => sessions.stop() };
}

/** What there is to see and do with the permissions of a client. */
function seenWith(
  client: Client,
  { io, namespace, allowsActions, leaseClock }: DashboardOptions,
  { user, playground }: { readonly user?: string; readonly playground?: Playground },
): { readonly api: DashboardApi; readonly hub: RolloutHub } {
  const hub = new RolloutHub({
    client,
    clock: io.clock,
    kinds: rolloutKinds,
    namespace,
    leaseClock,
    // A kind that is not served is not shown; the page says which may not be read.
    onProblem: () => undefined,
  });
  const api = new DashboardApi({
    client,
    clock: io.clock,
    hub,
    allowsActions,
    invocation: io.invocation ?? "lockstep",
    // Who signs in may be on another machine, with a kubeconfig of their own.
    clusterFlags: user === undefined ? { ...io.clusterFlags } : {},
    ...(user === undefined ? {} : { user }),
    ...(playground === undefined ? {} : { playground }),
    plan: (target, changes) => planned(client, io, { ...target, changes }),
  });
  hub.start();
  return { api, hub };
}

interface Planned {
  readonly kind: RolloutKind;
  readonly object: KubeObject;
  readonly changes: readonly ImageChange[];
}

async function planned(
  client: Client,
  io: Pick<Io, "clock">,
  { kind, object, changes }: Planned,
): Promise<{ readonly text: string; readonly verdict: string }> {
  const { namespace = "", name = "" } = object.metadata;
  const workload = { resource: kind.resource, key: { namespace, name } };
  const around = kindsAround(kinds, workload);
  const loaded = await loadCluster(client, around, workload);
  const pods = loaded.copied
    .map(({ object: copied }) => copied)
    .filter((copied) => copied["kind"] === "Pod");
  const images = changes.map(
    ({ component, container, image }) =>
      `${component === undefined ? "" : `${component}/`}${container}=${image}`,
  );
  const change = (current: KubeObject = object): KubeObject =>
    edited(current, { images, fields: [] });
  const durations = durationsOf(defaultCatalogue(), pods, { images: imagesIn(change()) });
  const { plan, details } = await preview({
    ...loaded,
    kinds: around,
    installDefinitions: (client, wanted) => installDefinitions(client, definitionsOf(wanted)),
    startMs: io.clock.now(),
    nodes: 8,
    catalogue: durations.catalogue,
    workload,
    change,
    durations: durations.words,
  });
  const lines = drawPlan(plan, details, coloursFor(false));
  return { text: lines.join("\n"), verdict: plan.verdict };
}
