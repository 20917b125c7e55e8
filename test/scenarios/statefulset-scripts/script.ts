/** A script: what happens to one StatefulSet and what must come of it, on whatever cluster it runs. */
import type { StatefulSetWorld } from "../../builders/stateful-set-stage.ts";
import { StatefulSetStage } from "../../builders/stateful-set-stage.ts";

export type StatefulSetScript = (stage: StatefulSetStage) => Promise<void>;

export type StatefulSetScripts = Readonly<Record<string, StatefulSetScript>>;

/** Runs it with a set of this name and returns which pods came and went. */
export async function runIn(
  world: StatefulSetWorld,
  name: string,
  script: StatefulSetScript,
): Promise<readonly string[]> {
  const stage = new StatefulSetStage(world, name);
  try {
    await script(stage);
    return stage.log;
  } finally {
    stage.end();
  }
}
