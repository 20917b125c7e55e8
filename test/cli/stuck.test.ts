/** Which pod is stuck and what to type is seen at once, whatever the state is called and how small the terminal is. */
import { beforeAll, describe, expect, test } from "vitest";
import { cliOf } from "../builders/cli.ts";
import { podCliqueSetStages } from "./pod-clique-set-stages.ts";
import type { StagedWorld } from "./transcript.ts";

describe("a set that waits for a broken pod, long before its deadline", () => {
  let world: StagedWorld;
  const undo = "lockstep undo podcliqueset/chat --to-revision 1";

  beforeAll(async () => {
    world = (await podCliqueSetStages["broken"]?.()) as StagedWorld;
  }, 60_000);

  const seen = async (line: string, rows = 40): Promise<string> => {
    const options = { isTerminal: true, columns: 80, rows, environment: { NO_COLOR: "1" } };
    return (await cliOf(world).lockstep(line, options)).text;
  };

  test("status says what to type", async () => {
    const text = await seen("status pcs/chat");
    expect(text).toContain("podcliqueset/chat: Progressing");
    expect(text).toContain(`to free it: ${undo}`);
  });

  test.each([24, 30, 50])(
    "in %i rows of a terminal the broken pod is in the tree",
    async (rows) => {
      const lines = (await seen("watch pcs/chat --once", rows)).split("\n");
      expect(lines.length).toBeLessThan(rows);
      expect(lines.join("\n")).toMatch(
        /waits for chat-0-front-0 .*broken for \d+s.*ImagePullBackOff/s,
      );
      expect(lines.join("\n")).toContain(`type      ${undo}`);
      expect(lines.find((line) => / ✖ chat-0-front-0 /.test(line))).toMatch(/#2 +broken/);
    },
  );
});
