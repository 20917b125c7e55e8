/** Kubernetes' named string formats in CEL: `format.dns1123Label().validate(self)` lists what is wrong with a text. */
import type { Environment } from "@marcbachmann/cel-js";
import { Optional } from "@marcbachmann/cel-js";
import {
  asNamePrefix,
  dns1035LabelProblems,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
} from "../api/dns-name.ts";
import { labelValueProblems, qualifiedNameProblems } from "../api/label-syntax.ts";
import { matchesFormat } from "./formats.ts";
import { parseUrl } from "./kube-functions.ts";
import { NamedFormat } from "./values.ts";

/** CEL writes these functions as if `format` were a value; here it is one. */
class FormatNamespace {
  readonly name = "format";
}

const matching =
  (format: string, problem: string) =>
  (text: string): readonly string[] =>
    matchesFormat(format, text) ? [] : [problem];

function uriProblems(text: string): readonly string[] {
  if (parseUrl(text) !== undefined) return [];
  const problem = text === "" ? "empty url" : "invalid URI for request";
  return [`parse ${JSON.stringify(text)}: ${problem}`];
}

/** The last number is the length of the expression that Kubernetes takes for each, which is what a check costs. */
const formats = [
  new NamedFormat("dns1123Label", dns1123LabelProblems, 30),
  new NamedFormat("dns1123Subdomain", (text) => dns1123SubdomainProblems(text), 60),
  new NamedFormat("dns1035Label", dns1035LabelProblems, 30),
  new NamedFormat("qualifiedName", qualifiedNameProblems, 60),
  new NamedFormat("dns1123LabelPrefix", asNamePrefix(dns1123LabelProblems), 30),
  new NamedFormat("dns1123SubdomainPrefix", asNamePrefix(dns1123SubdomainProblems), 60),
  new NamedFormat("dns1035LabelPrefix", asNamePrefix(dns1035LabelProblems), 30),
  new NamedFormat("labelValue", labelValueProblems, 40),
  new NamedFormat("uri", uriProblems, 1103),
  new NamedFormat("uuid", matching("uuid", "does not match the UUID format"), 70),
  new NamedFormat("byte", matching("byte", "invalid base64"), 84),
  new NamedFormat("date", matching("date", "invalid date"), 71),
  new NamedFormat("datetime", matching("date-time", "invalid datetime"), 71),
];

export function registerFormats(environment: Environment): void {
  const byName = new Map(formats.map((format) => [format.name, format]));
  const optional = (value: unknown) => (value === undefined ? Optional.none() : Optional.of(value));
  environment
    .registerType("FormatNamespace", FormatNamespace)
    .registerType("Format", { ctor: NamedFormat, fields: {} })
    .registerConstant("format", "FormatNamespace", new FormatNamespace())
    .registerFunction(
      "FormatNamespace.named(string): optional<Format>",
      (_: unknown, name: string) => optional(byName.get(name)),
    )
    .registerFunction(
      "Format.validate(string): optional<list<string>>",
      ({ problemsOf }: NamedFormat, text: string) => {
        const problems = problemsOf(text);
        return optional(problems.length === 0 ? undefined : [...problems]);
      },
    );
  for (const format of formats) {
    environment.registerFunction(`FormatNamespace.${format.name}(): Format`, () => format);
  }
}
