/** What must hold around an object before it may be created: its namespace exists and stays. */
import type { KubeObject } from "../../api/object.ts";
import type { Context } from "../context.ts";
import { forbidden, notFound } from "../errors.ts";
import type { ServedResource } from "../served-resource.ts";

const namespaces = { group: "", plural: "namespaces" };

export function admitNamespace(
  context: Context,
  resource: ServedResource,
  draft: KubeObject,
): void {
  const { namespace, name = "" } = draft.metadata;
  if (!resource.namespaced || namespace === undefined) return;
  const found = context.store.collection("namespaces").get(namespace);
  if (found === undefined) throw notFound(namespaces, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resource, name, why, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}
