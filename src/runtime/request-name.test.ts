/** An error leads back to the request that it answers. */
import { expect, test } from "vitest";
import { refused } from "../../test/builders/memory-server.ts";
import type { Client } from "./client.ts";
import { requestOf } from "./request-name.ts";
import { restClient } from "./rest-client.ts";

const pods = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const sets = { ...pods, group: "apps", plural: "statefulsets", kind: "StatefulSet" };
const web = { namespace: "default", name: "web" };

const calls: Record<string, [(client: Client) => Promise<unknown>, object]> = {
  "a read": [
    (client) => client.get(pods, web),
    { verb: "get", resource: "pods", object: "default/web" },
  ],
  "a list of a namespace": [
    (client) => client.list(sets, { namespace: "default" }),
    { verb: "list", resource: "statefulsets", object: "default" },
  ],
  "a watch of everything": [
    (client) => client.watch(sets, {}, () => undefined),
    { verb: "watch", resource: "statefulsets", object: "" },
  ],
  "a status": [
    (client) => client.patch(sets, web, { type: "merge", body: {} }, { subresource: "status" }),
    { verb: "patch", resource: "statefulsets/status", object: "default/web" },
  ],
  "a delete": [
    (client) => client.delete(pods, web),
    { verb: "delete", resource: "pods", object: "default/web" },
  ],
};

test.each(Object.entries(calls))(
  "%s is named by its refusal and by its failure",
  async (_, row) => {
    const [call, wanted] = row;
    const refusing = restClient({
      request: () =>
        Promise.resolve({ status: 403, warnings: [], body: refused(403, "Forbidden") }),
      stream: () => Promise.reject(new Error("reset")),
    });
    const failing = restClient({
      request: () => Promise.reject(new Error("reset")),
      stream: () => Promise.reject(new Error("reset")),
    });
    for (const client of [refusing, failing]) {
      const error = await call(client).catch((problem: unknown) => problem);
      expect(requestOf(error)).toEqual(wanted);
      expect(requestOf(new Error("wrapped", { cause: error }))).toEqual(wanted);
    }
  },
);

test("an error of our own answers no request", () => {
  expect(requestOf(new Error("no"))).toBeUndefined();
  expect(requestOf("no")).toBeUndefined();
});
