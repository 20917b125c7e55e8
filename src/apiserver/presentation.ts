/** Gives answers and watch events the shape the client asked for. */
import type { KubeObject } from "../api/object.ts";
import type { Clock } from "../runtime/clock.ts";
import { badRequest } from "./errors.ts";
import { typedForm } from "./forms.ts";
import type { Wanted } from "./negotiation.ts";
import { parameter } from "./request.ts";
import type { Answer, ApiRequest } from "./request.ts";
import type { RowObject } from "./table.ts";
import { metadataOnly, tableOf } from "./table.ts";
import type { WatchPlan } from "./watch/watch-plan.ts";

/** Turns one stored object of a watch into what its event carries; undefined shows it as it is. */
export type EventShape = (object: KubeObject) => KubeObject;

export function presented(
  clock: Clock,
  request: ApiRequest,
  { shape }: Wanted,
  answer: Answer,
): Answer {
  if (shape === "plain" || answer.status >= 400) return answer;
  if (shape === "Table") return asTable(clock, request, answer);
  return asMetadata(answer);
}

function asTable(clock: Clock, request: ApiRequest, answer: Answer): Answer {
  const { body } = answer;
  const rowObject = rowObjectOf(request);
  const common = { rowObject, nowMs: clock.now(), withColumns: true };
  switch (body.type) {
    case "object": {
      const { resource, object } = body;
      const { resourceVersion } = object.metadata;
      const value = tableOf({
        ...common,
        resource,
        objects: [object],
        metadata: { resourceVersion },
      });
      return { ...answer, body: { type: "value", value } };
    }
    case "list":
      return { ...answer, body: { type: "value", value: tableOf({ ...common, ...body }) } };
    case "watch":
      return withShape(answer, body.plan, tableEvents(clock, body.plan, rowObject));
    case "value":
    case "text":
      return answer;
  }
}

function tableEvents(clock: Clock, { resource }: WatchPlan, rowObject: RowObject): EventShape {
  let withColumns = true;
  return (object) => {
    const { resourceVersion } = object.metadata;
    const metadata = { resourceVersion };
    const nowMs = clock.now();
    const table = tableOf({ resource, objects: [object], metadata, rowObject, nowMs, withColumns });
    withColumns = false;
    return table;
  };
}

function asMetadata(answer: Answer): Answer {
  const { body } = answer;
  switch (body.type) {
    case "object": {
      const value = metadataOnly(typedForm(body.resource, body.object));
      return { ...answer, body: { type: "value", value } };
    }
    case "list": {
      const { resource, objects, metadata } = body;
      const items = objects.map((object) => metadataOnly(typedForm(resource, object)));
      const kind = "PartialObjectMetadataList";
      const value = { kind, apiVersion: "meta.k8s.io/v1", metadata, items };
      return { ...answer, body: { type: "value", value } };
    }
    case "watch":
      return withShape(answer, body.plan, (object) =>
        metadataOnly(typedForm(body.plan.resource, object)),
      );
    case "value":
    case "text":
      return answer;
  }
}

function withShape(answer: Answer, plan: WatchPlan, shape: EventShape): Answer {
  return { ...answer, body: { type: "watch", plan: { ...plan, shape } } };
}

function rowObjectOf(request: ApiRequest): RowObject {
  const asked = parameter(request, "includeObject") ?? "Metadata";
  if (asked === "None" || asked === "Metadata" || asked === "Object") return asked;
  throw badRequest(`unrecognized includeObject value: "${asked}"; use None, Metadata or Object`);
}
