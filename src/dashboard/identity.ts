/** Whose credentials a client has, asked of the API server itself. */
import type { KubeObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { ApiError } from "../api/status.ts";
import type { Client } from "../runtime/client.ts";

const reviewResource: Resource = {
  group: "authentication.k8s.io",
  version: "v1",
  plural: "selfsubjectreviews",
  kind: "SelfSubjectReview",
  namespaced: false,
};

interface Review extends KubeObject {
  readonly status?: { readonly userInfo?: { readonly username?: string } };
}

const anonymous = "system:anonymous";

/** Undefined where the cluster does not know them. */
export async function userOf(client: Client): Promise<string | undefined> {
  const review: Review = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "SelfSubjectReview",
    metadata: {},
  };
  try {
    const { status } = await client.create(reviewResource, review);
    const name = status?.userInfo?.username;
    return name === anonymous ? undefined : name;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 401) return undefined;
    // Before Kubernetes 1.28, and on the embedded server, nobody can ask; but a token that is unknown gets a 401.
    if (error.code === 404) return "a user of the cluster";
    throw error;
  }
}
