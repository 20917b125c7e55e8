/** What an index can be asked besides its objects: how many there are, and which values begin alike. */
import { expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import { ObjectStore } from "./object-store.ts";

const pod = (name: string, place: string, version = "1"): KubeObject => ({
  metadata: { name, namespace: "default", resourceVersion: version, labels: { place } },
});

const placesOf = ({ metadata }: KubeObject): readonly string[] => [
  metadata.labels?.["place"] ?? "",
];

test("values that begin alike are the very same list until one of them comes or goes", () => {
  const store = new ObjectStore({ place: placesOf });
  store.set("a", pod("a", "default/chat/0"));
  store.set("b", pod("b", "default/chat/1"));
  store.set("c", pod("c", "default/chatter/0"));
  const before = store.valuesUnder("place", "default/chat");
  expect(before).toEqual(["default/chat/0", "default/chat/1"]);
  store.set("b", pod("b", "default/chat/1", "2"));
  expect(store.valuesUnder("place", "default/chat")).toBe(before);
  store.set("b", pod("b", "default/chat/2", "3"));
  expect(store.valuesUnder("place", "default/chat")).toEqual(["default/chat/0", "default/chat/2"]);
  store.delete("a");
  store.delete("b");
  expect(store.valuesUnder("place", "default/chat")).toEqual([]);
  expect(store.valuesUnder("place", "default/chatter")).toEqual(["default/chatter/0"]);
});

test("objects under a value are counted without being listed", () => {
  const store = new ObjectStore({ place: placesOf });
  for (const name of ["a", "b"]) store.set(name, pod(name, "default/chat/0"));
  store.set("a", pod("a", "default/chat/0", "2"));
  expect(store.countByIndex("place", "default/chat/0")).toBe(2);
  store.delete("a");
  expect(store.countByIndex("place", "default/chat/0")).toBe(1);
  expect(store.countByIndex("place", "default/chat/9")).toBe(0);
});
