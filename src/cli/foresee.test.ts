/** `lockstep foresee` as a person sees it. */
import { expect, test } from "vitest";
import type { Io } from "./io.ts";
import { buildProgram } from "./program.ts";

async function foresee(words: string, isTerminal = false): Promise<string> {
  const lines: string[] = [];
  const io: Io = {
    print: (line) => void lines.push(line),
    warn: () => undefined,
    isTerminal,
    environment: {},
    workingDirectory: "/",
    readStandardInput: () => "",
    stopping: new AbortController().signal,
  };
  await buildProgram(io).parseAsync(["foresee", ...words.split(" ")], { from: "user" });
  return lines.join("\n");
}

test("SU1 one surge unit over two, drawn", async () => {
  expect(await foresee("--replicas 2 --max-surge 1 --max-unavailable 0")).toBe(
    [
      "○ old  ● new  × leaving  · gone  ◌ starting   | surge",
      "     0s  create surge web-2",
      "         ○○|◌   2 of 2 available, 2 outdated",
      "    30s  web-2 available",
      "         ○○|●   3 of 2 available, 2 outdated",
      "    30s  delete for replacement web-0",
      "         ×○|●   2 of 2 available, 1 outdated",
      "    35s  web-0 gone",
      "         ·○|●   2 of 2 available, 1 outdated",
      "    35s  create web-0",
      "         ◌○|●   2 of 2 available, 1 outdated",
      "    65s  web-0 available",
      "         ●○|●   3 of 2 available, 1 outdated",
      "    65s  delete for replacement web-1",
      "         ●×|●   2 of 2 available, 0 outdated",
      "    70s  web-1 gone",
      "         ●·|●   2 of 2 available, 0 outdated",
      "    70s  create web-1",
      "         ●◌|●   2 of 2 available, 0 outdated",
      "   100s  web-1 available",
      "         ●●|●   3 of 2 available, 0 outdated",
      "   100s  delete web-2",
      "         ●●|×   2 of 2 available, 0 outdated",
      "   105s  web-2 gone",
      "         ●●   2 of 2 available, 0 outdated",
      "   105s  done: 2 units available on new",
      "         never fewer than 2 of 2 available, never more than 1 extra",
    ].join("\n"),
  );
});

test("colours are for terminals", async () => {
  const escape = String.fromCodePoint(27);
  expect(await foresee("--replicas 1", true)).toContain(escape);
  expect(await foresee("--replicas 1", false)).not.toContain(escape);
});

test("a machine gets the steps as JSON", async () => {
  const report: unknown = JSON.parse(await foresee("--replicas 3 --max-unavailable 2 -o json"));
  expect(report).toMatchObject({
    replicas: 3,
    lowestAvailable: 1,
    mostSurge: 0,
    tookMs: 70_000,
    end: { kind: "done", reason: { code: "RolledOut" } },
  });
});

test.each([
  ["--replicas x", /--replicas: x is not a whole number/],
  ["--replicas 10001", /up to 10000/],
  ["--replicas 3 --max-surge 1.5", /--max-surge: .*want a whole number such as 2, or "25%"/],
  ["--replicas 3 --max-unavailable 0", /both 0, .*set one of them to 1 or more/],
  ["--replicas 3 --policy statefulset --max-surge 1", /a StatefulSet has no surge/],
  ["--replicas 3 --partition -1", /--partition/],
])("%s is refused with what is wrong", async (words, want) => {
  await expect(foresee(words)).rejects.toThrow(want);
});
