/** Images that a command line names: everywhere, or in one clique only. */
import { expect, test } from "vitest";
import { edited } from "./edit.ts";

const clique = (name: string) => ({
  name,
  spec: { podSpec: { containers: [{ name: "server", image: `${name}:v1` }] } },
});
const object = {
  metadata: { name: "chat" },
  spec: { template: { cliques: [clique("front"), clique("work")] } },
};
const imagesAfter = (image: string): string[] => {
  const text = JSON.stringify(edited(object, { images: [image], fields: [] }));
  return [...text.matchAll(/"image":"([^"]+)"/g)].map(([, found = ""]) => found);
};

test.each([
  ["server=x:v2", ["x:v2", "x:v2"]],
  ["front/server=x:v2", ["x:v2", "work:v1"]],
  ["work/*=x:v2", ["front:v1", "x:v2"]],
])("--image %s", (image, images) => expect(imagesAfter(image)).toEqual(images));

test("a clique that does not exist is answered with those that do", () => {
  expect(() => imagesAfter("back/server=x:v2")).toThrow(
    /no container is called back\/server.*front\/server, work\/server/,
  );
});
