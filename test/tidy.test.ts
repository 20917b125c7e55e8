/** Taste that a machine can check; sizes and complexity are in `.oxlintrc.json`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const pureLayers = ["planner", "api", "controllers"];
const bannedInPureLayers =
  /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bsetTimeout\(|\bsetInterval\(|\bperformance\.now\(|\bprocess\./;
/** One file of each kind is where the machine's time and chance enter. */
const bannedBelowTheEdge = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/;
const edges = ["src/runtime/system-clock.ts"];
const edgeLayers = ["cli"];

const files = ["src", "test", "bench", "scripts"]
  .filter((root) => existsSync(root))
  .flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).map((file) => `${root}/${file}`),
  )
  .filter((file) => /\.(ts|mjs)$/.test(file) && !file.includes("node_modules"))
  .filter((file) => !file.includes(".generated."))
  .toSorted();

interface RefusedWord {
  /** Matched against every line and every path; `\b` where only the whole word is meant. */
  readonly refused: RegExp;
  readonly use: string;
  /** Paths that may keep it: quotes of other software's words, and folders that have yet to follow. */
  readonly except?: RegExp;
}

/** Folders that have not followed every word yet. */
const others =
  /^src\/(api|cli|controllers|planner|runtime)\/|^test\/(builders|e2e|scenarios)\/|^bench\//;

/** Words that somebody who knows controller-runtime would have to look up. One line adds one. */
const refusedWords: readonly RefusedWord[] = [
  { refused: /isGoing/, use: "isTerminating" },
  { refused: /soonest/i, use: "earliest (requeue)" },
  { refused: /\brivals?\b/i, use: "competing controller" },
  { refused: /wishes/i, use: "(annotation) overrides" },
  { refused: /caretaker/i, use: "(node) lifecycle controller" },
  {
    refused: /seat(s|ed|ing)?(?![a-z])/i,
    use: "place or reservation (scheduler), index of units (planner)",
    except: others,
  },
  { refused: /asleep/i, use: "unschedulable or idle" },
  { refused: /live-?look/i, use: "live read" },
  {
    refused: /\bborn|(first|new)born/i,
    use: "created",
    except: others,
  },
  { refused: /meansTheSame/, use: "semanticallyEqual" },
  { refused: /\bheed(s|ed|ing)?\b/i, use: "follow, respect or obey" },
  { refused: /\bjudg/i, use: "assess, check or decide", except: others },
  { refused: /remember/i, use: "memoize, record or keep", except: others },
];

const layerOf = (file: string): string => file.split("/")[1] ?? "";
const isSource = (file: string): boolean => file.startsWith("src/") && !file.endsWith(".test.ts");

test.each(files)("%s is tidy", (file) => {
  const text = readFileSync(file, "utf8");
  const lines = text.split("\n");
  expect(file, "name the thing, not the drawer").not.toMatch(
    /(^|\/)(utils?|common|helpers?|misc)(\/|\.)/,
  );
  expect(file, "files are kebab-case").toMatch(/^[a-z0-9./-]+$/);
  const long = lines.findIndex((line) => line.length > 120);
  expect(long, `line ${long + 1} is longer than 120 columns`).toBe(-1);
  if (file === "test/tidy.test.ts") return;
  expect(text, "a leftover needs an issue, not a comment").not.toMatch(/\b(TODO|FIXME|XXX)\b/);
  expect(text, "no focused or skipped tests").not.toMatch(
    /\b(test|it|describe)\.(only|skip|todo)\b/,
  );
  if (!isSource(file)) return;
  const banned = pureLayers.includes(layerOf(file)) ? bannedInPureLayers : bannedBelowTheEdge;
  if (edges.includes(file) || edgeLayers.includes(layerOf(file))) return;
  expect(text, "time and chance are injected").not.toMatch(banned);
  if (file.startsWith("src/")) {
    expect(lines[0], "the first line says what the file is for").toMatch(/^(\/\*\*|\/\/|#!)/);
  }
});

test.each(files.filter((file) => file !== "test/tidy.test.ts"))("%s uses known words", (file) => {
  const words = refusedWords.filter(({ except }) => except?.test(file) !== true);
  const findings = [`the file name ${file}`, ...readFileSync(file, "utf8").split("\n")].flatMap(
    (text, index) =>
      words.flatMap(({ refused, use }) => {
        const word = refused.exec(text)?.[0];
        const place = index === 0 ? text : `line ${index}`;
        return word === undefined ? [] : [`${place}: say "${use}" instead of "${word}"`];
      }),
  );
  expect(findings).toEqual([]);
});
