/** autoscaling/v2 HorizontalPodAutoscaler, as far as controllers need to name it. */
import type { Resource } from "./resource.ts";

export const autoscalerResource: Resource = {
  group: "autoscaling",
  version: "v2",
  plural: "horizontalpodautoscalers",
  kind: "HorizontalPodAutoscaler",
  namespaced: true,
};
