/** Steers Placements: their decisions can be left as they are; there is no revision to go back to. Pure. */
import type { KubeObject } from "../../api/object.ts";
import { ocmAnnotations } from "../../api/ocm/labels.ts";
import { isSchedulingDisabled } from "../../api/ocm/placement.ts";
import type { Patch } from "../../runtime/client.ts";
import type { Steer, Steering } from "../kind.ts";
import { nothing, refused } from "../kind.ts";

const named = ({ metadata }: KubeObject): string => `placement/${metadata.name}`;
const annotated = (value: string | null): Patch => ({
  type: "merge",
  body: { metadata: { annotations: { [ocmAnnotations.schedulingDisabled]: value } } },
});

const without =
  (what: string) =>
  ({ object }: { readonly object: KubeObject }): Steer =>
    refused(`${named(object)} selects clusters and has ${what}`, "edit its spec instead");

export const placementSteering: Steering = {
  pause: ({ object }) =>
    isSchedulingDisabled(object)
      ? nothing("is paused already")
      : {
          kind: "change",
          patch: annotated("true"),
          did: "paused: its decisions stay as they are, whatever happens to clusters",
          takeBack: `lockstep resume ${named(object)}`,
        },
  resume: ({ object }) =>
    isSchedulingDisabled(object)
      ? {
          kind: "change",
          patch: annotated(null),
          did: "resumed",
          takeBack: `lockstep pause ${named(object)}`,
        }
      : nothing("is not paused"),
  undo: without("no recorded revisions"),
  restart: without("no pods to restart"),
  promote: (subject) =>
    isSchedulingDisabled(subject.object)
      ? placementSteering.resume(subject)
      : nothing("has no pause to pass"),
  setImage: without("no containers"),
  images: () => [],
};
