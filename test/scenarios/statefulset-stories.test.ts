/** The stories of a StatefulSet in virtual time; over HTTP and on a real API server they are told word for word. */
import { expect, test } from "vitest";
import { virtualSetWorld } from "../builders/virtual-set-world.ts";
import { setStories } from "./statefulset-stories/index.ts";
import { tellIn } from "./statefulset-stories/story.ts";

test.each(Object.entries(setStories))("%s", async (_name, story) => {
  expect(await tellIn(await virtualSetWorld(), "web", story)).not.toEqual([]);
});
