/** Images that a command line names, everywhere or in one clique only, and fields by their path. */
import { expect, test } from "vitest";
import { edited, imagesIn } from "./edit.ts";

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

const fieldsAfter = (...fields: string[]) => edited(object, { images: [], fields });
const specAfter = (field: string): unknown => fieldsAfter(field)["spec"];

test("fields are set by dots, and items of lists by their name or number", () => {
  const set = fieldsAfter(
    "spec.replicas=3",
    "spec.template.cliques.front.spec.replicas=2",
    "spec.template.cliques.1.name=worker",
    "spec.updateStrategy.type=OnDelete",
  );
  expect(set["spec"]).toMatchObject({
    replicas: 3,
    updateStrategy: { type: "OnDelete" },
    template: { cliques: [{ name: "front", spec: { replicas: 2 } }, { name: "worker" }] },
  });
});

test.each(["__proto__.polluted", "spec.__proto__.polluted", "constructor.prototype.polluted"])(
  "--set %s sets a field of that name, and nothing of all other objects",
  (path) => {
    const set = fieldsAfter(`${path}=1`);
    expect("polluted" in {}).toBe(false);
    expect(JSON.stringify(set)).toContain('"polluted":1');
  },
);

test.each(["back", "-1", "3", "01", "1e0", "__proto__", "constructor"])(
  "--set of an item %s that a list does not have is answered with those that it has",
  (item) => {
    for (const path of [`spec.template.cliques.${item}.spec`, `spec.template.cliques.${item}`]) {
      expect(() => fieldsAfter(`${path}=1`)).toThrow(
        `no item of this list is called ${item}; use one of front, work, or 2 for a new one`,
      );
    }
  },
);

test("containers that are none have no image", () => {
  const odd = {
    metadata: {},
    spec: { containers: [null, 1, "x", { name: "app", image: "a:v1" }] },
  };
  expect(imagesIn(odd)).toEqual(["a:v1"]);
});

const cliques = "spec.template.cliques";

test("items of lists are found by their name or number, and the next number adds one", () => {
  const named = specAfter(`${cliques}.work.spec.replicas=3`);
  expect(named).toMatchObject({ template: { cliques: [{}, { spec: { replicas: 3 } }] } });
  expect(specAfter(`${cliques}.1.spec.replicas=3`)).toEqual(named);
  expect(specAfter(`${cliques}.2={"name":"back"}`)).toMatchObject({
    template: { cliques: [{ name: "front" }, { name: "work" }, { name: "back" }] },
  });
  expect(specAfter(`${cliques}.front={"name":"only"}`)).toMatchObject({
    template: { cliques: [{ name: "only" }, { name: "work" }] },
  });
});
