/** SECURITY.md says who can do what, and the limits it names are the limits that are enforced. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mostParts } from "../src/api/size-limit.ts";
import { maxBodyBytes, maxYamlBytes } from "../src/apiserver/http/read-body.ts";
import { mostErrors, mostPatternSteps, mostSteps } from "../src/apiserver/crd/validation-run.ts";
import { shiftLimit } from "../src/apiserver/patch/json-patch.ts";
import { mostStoredBytes } from "../src/apiserver/rest/stored-size.ts";
import { perCallLimit, perObjectLimit } from "../src/cel/cost.ts";
import { kinds } from "../src/controllers/kinds.ts";
import { roleObjects } from "../src/cli/roles.ts";

const page = readFileSync("SECURITY.md", "utf8");
const rules = readFileSync("docs/rules/operator.md", "utf8");

test.each([
  ["Who can do what", /What a namespace user cannot do: /],
  ["What the operator may do", /--namespaces team-a,team-b/],
  ["The embedded server", /\*\*It is not a server for other people\*\*/],
])("it has a part: %s", (heading, sentence) => {
  const [, part = ""] = page.split(`\n## ${heading}\n`);
  expect(part.split("\n## ")[0]).toMatch(sentence);
});

test("its limits are those of the code", () => {
  const mebibytes = maxBodyBytes / 1024 ** 2;
  expect(page).toContain(`| bodies | ${mebibytes} MiB; YAML ${maxYamlBytes / 1024} KiB`);
  expect([perCallLimit, perObjectLimit]).toEqual([1_000_000, 10_000_000]);
  expect(page).toContain("a million for one evaluation, ten million for one object");
  const [checks, steps] = [mostSteps / 1e6, mostPatternSteps / 1e6];
  const errors = mostErrors.toLocaleString("en");
  expect(page).toContain(`${errors} errors, ${checks} million checks, ${steps} million steps`);
  expect(page).toContain(`${mostStoredBytes / 1024 ** 2} MiB as it is kept`);
  expect([page.includes("a billion items pushed aside"), shiftLimit]).toEqual([true, 1e9]);
  expect(rules).toContain(`more than ${mostParts.toLocaleString("en")} pods`);
});

const rulesFor = (name: (kind: string) => boolean): readonly Rule[] =>
  (["assist", "full"] as const).flatMap((mode) =>
    roleObjects({
      kinds: kinds.filter((kind) => name(kind.name)),
      modes: { statefulset: mode },
      namespaces: [],
      operatorNamespace: "lockstep-system",
    }).flatMap((object) => (object["rules"] ?? []) as readonly Rule[]),
  );

test("the operator reads no Secret and grants nothing, and ConfigMaps are for groups only", () => {
  const granted = rulesFor(() => true);
  const resources = granted.flatMap((rule) => rule.resources);
  expect(resources).not.toContain("secrets");
  expect(granted.flatMap((rule) => rule.apiGroups)).not.toContain("rbac.authorization.k8s.io");
  expect([...resources, ...granted.flatMap((rule) => rule.verbs)]).not.toContain("*");
  const others = rulesFor((name) => !name.startsWith("rolebasedgroup"));
  expect(resources).toContain("configmaps");
  expect(others.flatMap((rule) => rule.resources)).not.toContain("configmaps");
});

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}
