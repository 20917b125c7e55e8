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
}

/** Words that somebody who knows controller-runtime would have to look up. One line adds one. */
const refusedWords: readonly RefusedWord[] = [
  { refused: /\baim(s|ed|ing|Of)?\b/i, use: "target or action" },
  { refused: /asleep/i, use: "unschedulable or idle" },
  { refused: /\battend(s|ed|ing)?\b/i, use: "reconcile" },
  { refused: /(?<!stub)born(?!e)/i, use: "created" },
  { refused: /caretaker/i, use: "lifecycle controller" },
  { refused: /\bdeeds?\b|[a-z]Deed|\bDeed|\bdeed[A-Z]/, use: "performed action" },
  { refused: /\b(is|mark)?Dying\b|\bdying\b/, use: "terminating" },
  { refused: /isGoing/, use: "isTerminating" },
  { refused: /\bheed(s|ed|ing)?\b/i, use: "follow, respect or obey" },
  { refused: /judg/i, use: "assess, check or decide" },
  { refused: /known-?remains/i, use: "pods of an old revision" },
  { refused: /live-?look/i, use: "live read" },
  { refused: /\bLook\b/, use: "visit, read or scope" },
  { refused: /meansTheSame/, use: "semanticallyEqual" },
  { refused: /\bmend(s|ed|ing)?\b/i, use: "fix or repair" },
  { refused: /namesake/i, use: "name conflict" },
  { refused: /\bremembered\(/, use: "memoizeByIdentity" },
  { refused: /(?<!ar)rival/i, use: "competing controller" },
  { refused: /seat(s|ed|ing)?(?![a-z])/i, use: "place, reservation or index" },
  { refused: /\bset(Status|Keys|Index)\b/, use: "a name that is no setter" },
  { refused: /soonest/i, use: "earliest requeue" },
  { refused: /\bstanding\b(?! still)|[a-z]Standing\b|\bStanding/, use: "state or counts" },
  { refused: /strays?\b|[sS]tray[A-Z]/, use: "obsolete or orphaned" },
  { refused: /\b(re)?tell(s|ing|er)?\b|\btells?[A-Z]|[a-z]Tells?\b/i, use: "write, report or say" },
  { refused: /\b(un|re)?told\b|\b[A-Za-z]*Told\b|[uU]ntold/, use: "write, report or emit" },
  { refused: /\bwhom\b/i, use: "a sentence that starts with its subject" },
  { refused: /\bwish/i, use: "override or setting" },
];

const layerOf = (file: string): string => file.split("/")[1] ?? "";
const isSource = (file: string): boolean => file.startsWith("src/") && !file.endsWith(".test.ts");

test.each(files)("%s is tidy", (file) => {
  const lines = readFileSync(file, "utf8").split("\n");
  expect(file, "name the thing, not the drawer").not.toMatch(
    /(^|\/)(utils?|common|helpers?|misc)(\/|\.)/,
  );
  expect(file, "files are kebab-case").toMatch(/^[a-z0-9./-]+$/);
  const long = lines.findIndex((line) => line.length > 120);
  expect(long, `line ${long + 1} is longer than 120 columns`).toBe(-1);
});

/** This file names what it bans. */
test.each(files.filter((file) => file !== "test/tidy.test.ts"))("%s is finished", (file) => {
  const text = readFileSync(file, "utf8");
  expect(text, "a leftover needs an issue, not a comment").not.toMatch(/\b(TODO|FIXME|XXX)\b/);
  expect(text, "no focused or skipped tests").not.toMatch(
    /\b(test|it|describe)\.(only|skip|todo)\b/,
  );
});

/** `for (... of list) {` and what is in it, up to the line that closes it. */
const loops = /^( *)for \((?:const|let) (?:\w+|\[.*?\]|\{.*?\}) of (.*)$(?:\n(?:\1 .*|))*/gm;
/** Written down, or known to hold something. */
const neverEmpty = /^(\[|atLeastOne\(|Object\.entries\([a-z]\w*\)|[a-z]\w*Kinds\b)/;
/** What is there under a condition only; the rule of oxlint knows it in the bodies of tests, not in what they call. */
const branches = /^( *)(?:\} )?(?:if \(|else\b|switch \(|\} catch\b).*$(?:\n(?:\1 .*|))*/gm;
const isAsserting = (text: string): boolean => /\bexpect(\.\w+)?\(/.test(text);

/** Lists that are drawn at random may be empty. */
const isDrawn = (text: string): boolean => text.includes('from "fast-check"');

const firstLine = ([all]: RegExpMatchArray): string => all.split("\n")[0]?.trim() ?? "";

/** Tests, and what they call. */
const asserting = files.filter((file) => file.endsWith(".test.ts") || file.startsWith("test/"));

test.each(asserting)("%s asserts of no list that may be empty, and under no condition", (file) => {
  const text = readFileSync(file, "utf8");
  const overLists = [...text.matchAll(loops)]
    .filter(([all, , list = ""]) => isAsserting(all) && !neverEmpty.test(list))
    .map(firstLine);
  expect(isDrawn(text) ? [] : overLists, "of an empty list everything would hold").toEqual([]);
  const underConditions = [...text.matchAll(branches)].filter(([all]) => isAsserting(all));
  expect(underConditions.map(firstLine), "what is not asked is not proven").toEqual([]);
});

const isEdge = (file: string): boolean =>
  edges.includes(file) || edgeLayers.includes(layerOf(file));

test.each(files.filter((file) => isSource(file) && !isEdge(file)))(
  "%s says what it is for, and time and chance are injected",
  (file) => {
    const text = readFileSync(file, "utf8");
    const banned = pureLayers.includes(layerOf(file)) ? bannedInPureLayers : bannedBelowTheEdge;
    expect(text, "time and chance are injected").not.toMatch(banned);
    const [first] = text.split("\n");
    expect(first, "the first line says what the file is for").toMatch(/^(\/\*\*|\/\/|#!)/);
  },
);

/** The glossary names the words that it replaces. */
const documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"].concat(
  ["docs", "deploy"]
    .flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).map((file) => `${root}/${file}`),
    )
    .filter((file) => /\.(md|yaml)$/.test(file) && file !== "docs/glossary.md"),
);
const sentences = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith("sentences.txt"))
  .map((file) => `src/${file}`);

const written = files.filter((file) => file !== "test/tidy.test.ts");

test.each([...written, ...documents, ...sentences])("%s uses known words", (file) => {
  const findings = [`the file name ${file}`, ...readFileSync(file, "utf8").split("\n")].flatMap(
    (text, index) =>
      refusedWords.flatMap(({ refused, use }) => {
        const word = refused.exec(text)?.[0];
        const place = index === 0 ? text : `line ${index}`;
        return word === undefined ? [] : [`${place}: say "${use}" instead of "${word}"`];
      }),
  );
  expect(findings).toEqual([]);
});
