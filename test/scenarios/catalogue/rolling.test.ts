/** Rolling updates of the default strategy: what may be down together, and in which order replicas of a set go. */
import { expect } from "vitest";
import { setReplicasServing } from "../../builders/clique-watcher.ts";
import type { ScenarioOptions } from "../../builders/pod-clique-set-scenario.ts";
import type { Story } from "../../builders/story.ts";
import { tellAll } from "../../builders/story.ts";

/** Two frontends, and two pairs of leader and worker of which one must serve. */
const pairs: ScenarioOptions = {
  replicas: 2,
  cliques: { front: { replicas: 2, minAvailable: 1 }, lead: {}, work: {} },
  groups: { pair: { cliques: ["lead", "work"], replicas: 2, minAvailable: 1 } },
};

const stories: readonly Story[] = [
  {
    name: "RU9 one replica of the set after the other, and both serve throughout",
    options: pairs,
    async tell(scenario) {
      await scenario.settled();
      scenario.watcher.take();
      scenario.watcher.always(setReplicasServing(2, { front: 1, lead: 1, work: 1 }));
      await scenario.setImages({ front: "front:v2", lead: "lead:v2", work: "work:v2" });
      await scenario.settled();
      const touched = scenario.watcher.take().filter((line) => / -chat-\d-[a-z]/.test(line));
      const replicas = touched.map((line) => Number(/ -chat-(\d)/.exec(line)?.[1]));
      expect(replicas).toEqual(replicas.toSorted((a, b) => a - b));
      expect(scenario.watcher.drawing().filter((line) => !line.endsWith(":v2"))).toEqual([]);
    },
  },
];

tellAll(stories);
