/** `lockstep foresee` as a person sees it. */
import { expect, test } from "vitest";
import { printableLine } from "./terminal-text.ts";
import type { Io } from "./io.ts";
import { buildProgram } from "./program.ts";
import { systemClock } from "../runtime/system-clock.ts";

async function foresee(words: string, isTerminal = false): Promise<string> {
  const lines: string[] = [];
  const io: Io = {
    print: (line) => void lines.push(printableLine(line)),
    warn: () => undefined,
    isTerminal,
    environment: {},
    workingDirectory: "/",
    readStandardInput: () => "",
    stopping: new AbortController().signal,
    clock: systemClock(),
  };
  const all = ["foresee", ...words.split(" ")];
  const program = await buildProgram(io, all);
  await program.parseAsync(all, { from: "user" });
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
  ["--replicas x", /--replicas: x is not a whole number.*for example --replicas 3/],
  ["--replicas 10001", /up to 10000/],
  ["--replicas 3 --max-surge 1.5", /--max-surge: .*want a whole number such as 2, or "25%"/],
  ["--replicas 3 --max-unavailable 0", /both 0, .*set one of them to 1 or more/],
  ["--replicas 3 --policy statefulset --max-surge 1", /a StatefulSet has no surge/],
  ["--replicas 3 --partition -1", /--partition/],
])("%s is refused with what is wrong", async (words, want) => {
  await expect(foresee(words)).rejects.toThrow(want);
});

test("CO1 two roles side by side, drawn with what each waits for", async () => {
  expect(await foresee("--role prefill=2 --role decode=1 --max-skew 10%")).toBe(
    [
      "   1  begin: starting to move decode, prefill to revision new; no unit changes yet",
      "      decode  ○ 0 of 1 updated",
      "      prefill ○○ 0 of 2 updated",
      "   2  advance: decode moves decode-0: 1 of 1 updated or updating; " +
        "prefill moves prefill-1: 1 of 2 updated or updating",
      "      decode  ● 1 of 1 updated, 1 moving",
      "      prefill ●○ 1 of 2 updated, 1 moving",
      "   3  advance: prefill moves prefill-0: 2 of 2 updated or updating",
      "      decode  ● 1 of 1 updated",
      "      prefill ●● 2 of 2 updated, 1 moving",
      "      done: decode: all 1 updated; prefill: all 2 updated",
    ].join("\n"),
  );
});

test("OD1 on-delete leaves everything where it is", async () => {
  expect(await foresee("--replicas 2 --policy on-delete")).toContain(
    "done: 2 outdated units remain until you delete them",
  );
});

test.each([
  ["--role prefill", /--role: "prefill" is no role/],
  ["--role a=1 --role a=2", /each name once/],
  ["--role a=1 --max-skew 3", /--max-skew is 3.*percentage/],
  ["--replicas 3 --max-skew 10%", /--max-skew: .*no --role.*for example --role prefill=40/],
  ["--role a=1 --replicas 3", /--replicas: it has no effect on roles.*leave the flag out/],
  ["--role a=1 --policy clique", /--policy: it has no effect on roles/],
  ["--max-surge 1", /neither --replicas nor --role is given/],
])("%s is refused with the fix", async (words, want) => {
  await expect(foresee(words)).rejects.toThrow(want);
});
