/** A resource of the API by its path names: what a client needs to address objects of one kind. */

export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Part of it is kept as the bytes it came in and compared byte by byte, so it has to come as Go writes it. */
  readonly isKeptAsBytes?: true;
}

/** `v1` or `apps/v1`, as it stands in an object's `apiVersion`. */
export function apiVersionOf(resource: Pick<Resource, "group" | "version">): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** `pods` or `statefulsets.apps`: one name per resource whatever its version. */
export function groupResource(resource: Pick<Resource, "group" | "plural">): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}
