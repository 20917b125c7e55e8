/** Events of an object as the view shows them: oldest first. Pure. */
import type { KubeObject } from "../api/object.ts";
import type { EventView } from "./view.ts";

export interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
  readonly involvedObject?: { readonly uid?: string };
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
}

export function eventViews(events: readonly EventObject[]): readonly EventView[] {
  return events
    .map(eventView)
    .toSorted((a, b) => compare(a.lastSeen, b.lastSeen) || compare(a.message, b.message));
}

export function eventView(event: EventObject): EventView {
  const created = event.metadata.creationTimestamp ?? "";
  const firstSeen = event.firstTimestamp ?? event.eventTime ?? created;
  return {
    type: event.type ?? "Normal",
    reason: event.reason ?? "",
    message: (event.message ?? "").trim(),
    count: event.series?.count ?? event.count ?? 1,
    firstSeen,
    lastSeen: event.series?.lastObservedTime ?? event.lastTimestamp ?? firstSeen,
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
