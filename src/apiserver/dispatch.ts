/** Finds the part of the server that answers a request. */
import { isApiError } from "../api/status.ts";
import type { Context } from "./context.ts";
import { methodNotAllowed } from "./errors.ts";
import { negotiate } from "./negotiation.ts";
import { answerOther } from "./other-paths.ts";
import { presented } from "./presentation.ts";
import { answerValue, flag } from "./request.ts";
import type { Answer, ApiRequest, Route } from "./request.ts";
import { bindAt } from "./rest/binding.ts";
import { createAt } from "./rest/create.ts";
import { deleteAt, deleteCollectionAt } from "./rest/delete.ts";
import { patchAt } from "./rest/patch.ts";
import { getAt, listAt } from "./rest/read.ts";
import { scaleAt } from "./rest/scale.ts";
import { updateAt } from "./rest/update.ts";
import { routeOf } from "./router.ts";
import { watchPlan } from "./watch/watch-plan.ts";

/** Never throws because of a client's mistake: refusals become answers. */
export function dispatch(context: Context, request: ApiRequest): Answer {
  return answerOrRefusal(() => {
    const routed = routeOf(context.registry, request.path);
    if (routed.type === "other") return answerOther(context, routed.segments, request);
    return withDeprecation(routed.route, () => {
      const wanted = negotiate(request.accept, ["plain", "Table", "PartialObjectMetadata"]);
      const answer = answerRoute(context, routed.route, request, routed.isWatch);
      return presented(context.clock, request, wanted, answer);
    });
  });
}

/** A deprecated version says so with every answer, refusals included. */
function withDeprecation({ resource }: Route, respond: () => Answer): Answer {
  const { deprecation } = resource;
  if (deprecation === undefined) return respond();
  const answer = answerOrRefusal(respond);
  return { ...answer, warnings: [deprecation, ...answer.warnings] };
}

function answerOrRefusal(respond: () => Answer): Answer {
  try {
    return respond();
  } catch (error) {
    if (isApiError(error)) return answerValue(error.status, error.status.code);
    throw error;
  }
}

function answerRoute(
  context: Context,
  route: Route,
  request: ApiRequest,
  isWatchPath: boolean,
): Answer {
  if (route.subresource !== undefined && !isObjectPart(route.subresource)) {
    return answerSubresource(context, route, request);
  }
  if (route.subresource === "finalize" && request.method !== "PUT") throw methodNotAllowed();
  switch (request.method) {
    case "GET":
      return read(context, route, request, isWatchPath);
    case "POST":
      return createAt(context, route, request);
    case "PUT":
      return updateAt(context, route, request);
    case "PATCH":
      return patchAt(context, route, request);
    case "DELETE":
      if (route.subresource !== undefined) throw methodNotAllowed();
      return route.name === undefined
        ? deleteCollectionAt(context, route, request)
        : deleteAt(context, route, request);
  }
}

/** Subresources that show the object itself but allow fewer changes. */
function isObjectPart(subresource: string): boolean {
  return !["scale", "binding", "eviction", "token"].includes(subresource);
}

function answerSubresource(context: Context, route: Route, request: ApiRequest): Answer {
  if (route.subresource === "scale") return scaleAt(context, route, request);
  if (route.subresource === "binding" && request.method === "POST") {
    return bindAt(context, route, request);
  }
  throw methodNotAllowed();
}

function read(context: Context, route: Route, request: ApiRequest, isWatchPath: boolean): Answer {
  const isWatched = isWatchPath || flag(request, "watch");
  if (isWatched && route.subresource === undefined) {
    const body = { type: "watch", plan: watchPlan(route, request) } as const;
    return { status: 200, warnings: [], body };
  }
  return route.name === undefined
    ? listAt(context, route, request)
    : getAt(context, route, request);
}
