/** What a new cluster has before anyone asks for it. */
import type { Context } from "./context.ts";
import { dispatch } from "./dispatch.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

export function bootstrap(context: Context): void {
  if (context.registry.find("", "v1", "namespaces") === undefined) return;
  for (const name of namespaces) {
    const body = { kind: "Namespace", apiVersion: "v1", metadata: { name } };
    dispatch(context, { method: "POST", path: "/api/v1/namespaces", query: {}, body });
  }
  context.store.compact();
}
