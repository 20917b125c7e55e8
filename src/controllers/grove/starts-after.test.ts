import { expect, test } from "vitest";
import type { DefaultedTemplate } from "../../api/grove/defaults.ts";
import { withDefaults } from "../../api/grove/defaults.ts";
import type { CliqueStartupType } from "../../api/grove/podcliqueset.ts";
import type { CliquePlace } from "./starts-after.ts";
import { startsAfter } from "./starts-after.ts";

/** `a` stands alone; `b` and `c` are members of `sg`, whose first two replicas are the base. */
function template(type: CliqueStartupType): DefaultedTemplate {
  const clique = (name: string, after?: string[]) => ({
    name,
    spec: {
      roleName: name,
      replicas: 1,
      podSpec: { containers: [] },
      ...(after === undefined ? {} : { startsAfter: after }),
    },
  });
  return withDefaults({
    template: {
      cliqueStartupType: type,
      cliques: [clique("a"), clique("b", ["c"]), clique("c", ["a"])],
      podCliqueScalingGroups: [
        { name: "sg", cliqueNames: ["b", "c"], replicas: 3, minAvailable: 2 },
      ],
    },
  }).template;
}

const at = (clique: string, replica?: number): CliquePlace => ({
  set: "w",
  setReplica: 0,
  clique,
  ...(replica === undefined ? {} : { group: { name: "sg", replica, minAvailable: 2 } }),
});

const anyOrder = template("CliqueStartupTypeAnyOrder");
const inOrder = template("CliqueStartupTypeInOrder");
const explicit = template("CliqueStartupTypeExplicit");

test.each<[string, DefaultedTemplate, CliquePlace, string[]]>([
  ["nobody waits in any order", anyOrder, at("b", 0), []],
  ["the first in order waits for nobody", inOrder, at("a"), []],
  ["a base member waits for the standalone clique before it", inOrder, at("b", 1), ["w-0-a"]],
  ["a base member waits for all of the base", inOrder, at("c", 0), ["w-0-sg-0-b", "w-0-sg-1-b"]],
  ["a scaled member waits only for its neighbour", inOrder, at("c", 2), ["w-0-sg-2-b"]],
  ["a scaled member does not wait for the base", inOrder, at("b", 2), []],
  ["explicit names count, not the order", explicit, at("b", 0), ["w-0-sg-0-c", "w-0-sg-1-c"]],
  ["explicit names of standalone cliques", explicit, at("c", 0), ["w-0-a"]],
])("%s", (_name, given, place, want) => {
  expect(startsAfter(given, place)).toEqual(want);
});
