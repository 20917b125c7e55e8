/** Runs a table of requests that a server refuses: one sentence, one request, one verdict. */
import { expect, test } from "vitest";
import type { Answer } from "./contract-client.ts";
import type { Cluster, Scene } from "./scene.ts";
import { asFarAs, verdict } from "./verdict.ts";

export interface Refusal {
  /** What must exist before, in this order. */
  readonly given?: readonly (readonly [resource: string, object: unknown])[];
  /** `POST configmaps`, `PUT pods/web/status`. */
  readonly ask: string;
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  /** The verdict; one that ends in ` ...` is only its beginning. */
  readonly want: string;
}

export type Refusals = Readonly<Record<string, Refusal>>;

export async function askFor(
  scene: Scene,
  { given = [], ask, body, query }: Refusal,
): Promise<Answer> {
  const { api } = scene;
  for (const [resource, object] of given) {
    const made = await api.post(scene.path(resource), scene.fill(object));
    if (made.status !== 201) throw new Error(`${resource} for the test: ${made.text}`);
  }
  const [method = "GET", target = ""] = scene.fill(ask).split(" ");
  const [resource = "", name, subresource] = target.split("/");
  const path = scene.path(resource, name, subresource);
  return api.send(method, path, { body: scene.fill(body), query: scene.fill(query) });
}

/** A Status repeats the code of its answer. */
const codeIn = ({ body, status }: Answer): unknown => (body.kind === "Status" ? body.code : status);

export function refusalTests(cluster: () => Cluster, refusals: Refusals): void {
  test.each(Object.entries(refusals))("%s", async (_sentence, refusal) => {
    const scene = await cluster().scene();
    const answer = await askFor(scene, refusal);
    const { want } = refusal;
    expect(asFarAs(want, scene.unfill(verdict(answer)))).toBe(want);
    expect(codeIn(answer)).toBe(answer.status);
  });
}
