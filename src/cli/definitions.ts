/** The custom resource definitions of all our kinds, and their installation in a cluster. */
import type { CustomResourceDefinition } from "../api/definition/custom-kind.ts";
import { customResourceDefinitionResource, definitionOf } from "../api/definition/custom-kind.ts";
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { isAlreadyExists } from "../api/status.ts";
import { structuralSchemaOf } from "../apiserver/schema/structural.ts";
import { kinds } from "../controllers/kinds.ts";
import type { Client } from "../runtime/client.ts";

let definitions: readonly CustomResourceDefinition[] | undefined;

/** Made once: the schemas are large, and simulations install them in one cluster after the other. */
export function customDefinitions(): readonly CustomResourceDefinition[] {
  definitions ??= [...new Set(kinds.flatMap(({ customKinds }) => customKinds))].map((kind) =>
    definitionOf(kind, structuralSchemaOf),
  );
  return definitions;
}

export function definitionsOf(resources: readonly Resource[]): readonly CustomResourceDefinition[] {
  const names = new Set(resources.map(({ plural, group }) => `${plural}.${group}`));
  return customDefinitions().filter(({ metadata }) => names.has(metadata.name ?? ""));
}

/** Creates or updates definitions, all of ours unless some are given; resolves when the server serves them. */
export async function installDefinitions(
  client: Client,
  wanted: readonly CustomResourceDefinition[] = customDefinitions(),
): Promise<void> {
  const installed: KubeObject[] = [];
  for (const definition of wanted) installed.push(await install(client, definition));
  await Promise.all(installed.map((definition) => established(client, definition)));
}

async function install(client: Client, definition: CustomResourceDefinition): Promise<KubeObject> {
  try {
    return await client.create<KubeObject>(customResourceDefinitionResource, definition);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const key = { name: definition.metadata.name ?? "" };
    const body = { spec: definition.spec };
    return client.patch(customResourceDefinitionResource, key, { type: "merge", body });
  }
}

async function established(client: Client, definition: KubeObject): Promise<void> {
  if (isEstablished(definition)) return;
  const seen = new AbortController();
  await client.watch(
    customResourceDefinitionResource,
    {
      fieldSelector: `metadata.name=${definition.metadata.name}`,
      resourceVersion: definition.metadata.resourceVersion,
      signal: seen.signal,
    },
    (event) => {
      if (event.type === "MODIFIED" && isEstablished(event.object)) seen.abort();
    },
  );
}

function isEstablished(definition: KubeObject): boolean {
  const status = definition["status"] as
    | { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
    | undefined;
  return (status?.conditions ?? []).some(
    (condition) => condition.type === "Established" && condition.status === "True",
  );
}
