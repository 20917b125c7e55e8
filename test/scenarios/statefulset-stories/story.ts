/** A story: what happens to one set and what must come of it, on whatever cluster it is told. */
import type { SetWorld } from "../../builders/set-stage.ts";
import { SetStage } from "../../builders/set-stage.ts";

export type SetStory = (stage: SetStage) => Promise<void>;

export type SetStories = Readonly<Record<string, SetStory>>;

/** Tells it of a set of this name and returns which pods came and went. */
export async function tellIn(
  world: SetWorld,
  name: string,
  story: SetStory,
): Promise<readonly string[]> {
  const stage = new SetStage(world, name);
  try {
    await story(stage);
    return stage.log;
  } finally {
    stage.end();
  }
}
