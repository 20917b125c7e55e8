/** The StatefulSet in scenarios, Lockstep being its controller or pacing another one. */
import { statefulSetResource } from "../../src/api/apps.ts";
import { statefulSetKind } from "../../src/controllers/statefulset/index.ts";
import type { KindDrawing, ScenarioKind } from "./scenario-kind.ts";
import { imageOf } from "./scenario-kind.ts";
import { StatefulSetPromises } from "./stateful-set-promises.ts";

const statefulSetDrawing: KindDrawing = {
  nameOf: ({ metadata }) => metadata.name ?? "",
  line(event, pod) {
    if (event === "ready") return undefined;
    const { name } = pod.metadata;
    return event === "created" ? `+${name} ${imageOf(pod)}` : `-${name}`;
  },
};

export const statefulSetScenarioKind = (mode: "full" | "assist"): ScenarioKind => ({
  resources: [statefulSetResource],
  definitions: [statefulSetKind],
  mode,
  promises: (watched) => new StatefulSetPromises(watched),
  drawing: statefulSetDrawing,
});
