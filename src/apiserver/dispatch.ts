/** Finds the part of the server that answers a request. */
import { isApiError } from "../api/status.ts";
import type { Context } from "./context.ts";
import { methodNotAllowed } from "./errors.ts";
import { answerText, answerValue, flag } from "./request.ts";
import type { Answer, ApiRequest, Route } from "./request.ts";
import { createAt } from "./rest/create.ts";
import { deleteAt, deleteCollectionAt } from "./rest/delete.ts";
import { getAt, listAt } from "./rest/read.ts";
import { updateAt } from "./rest/update.ts";
import { routeOf } from "./router.ts";
import { watchPlan } from "./watch/watch-plan.ts";

/** Never throws for what a client can cause: refusals become answers. */
export function dispatch(context: Context, request: ApiRequest): Answer {
  try {
    const routed = routeOf(context.registry, request.path);
    if (routed.type === "other") return answerText("404 page not found\n", 404);
    return answerRoute(context, routed.route, request, routed.isWatch);
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
  switch (request.method) {
    case "GET":
      return read(context, route, request, isWatchPath);
    case "POST":
      return createAt(context, route, request);
    case "PUT":
      return updateAt(context, route, request);
    case "DELETE":
      if (route.subresource !== undefined) throw methodNotAllowed();
      return route.name === undefined
        ? deleteCollectionAt(context, route, request)
        : deleteAt(context, route, request);
    case "PATCH":
      throw methodNotAllowed();
  }
}

function read(context: Context, route: Route, request: ApiRequest, isWatchPath: boolean): Answer {
  if (isWatchPath || flag(request, "watch")) {
    const body = { type: "watch", plan: watchPlan(route, request) } as const;
    return { status: 200, warnings: [], body };
  }
  return route.name === undefined
    ? listAt(context, route, request)
    : getAt(context, route, request);
}
