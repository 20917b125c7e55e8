/** Which texts may be DNS names: the rules behind object names. */
import { patternProblem, tooLongProblem } from "./problem-text.ts";
import { isLongerThan } from "./text-size.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = String.raw`${label}(\.${label})*`;
const subdomainWithUnderscore = String.raw`_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";

const labelPattern = whole(label);
const subdomainPattern = whole(subdomain);
const subdomainWithUnderscorePattern = whole(subdomainWithUnderscore);
const label1035Pattern = whole(label1035);

export const labelMaxBytes = 63;
export const subdomainMaxBytes = 253;

/** A check of a name: no problems means it is fine. */
export type NameCheck = (name: string) => readonly string[];

export function dns1123LabelProblems(value: string): string[] {
  const problems = lengthProblems(value, labelMaxBytes);
  if (labelPattern.test(value)) return problems;
  // Length apart, only dots separate a subdomain from a label.
  if (subdomainPattern.test(value)) return [...problems, "must not contain dots"];
  const message =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    "and must start and end with an alphanumeric character";
  return [...problems, patternProblem(message, label, "my-name", "123-abc")];
}

export function dns1123SubdomainProblems(
  value: string,
  unit: "bytes" | "characters" = "characters",
): string[] {
  const problems = lengthProblems(value, subdomainMaxBytes, unit);
  if (subdomainPattern.test(value)) return problems;
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, " +
    "'-' or '.', and must start and end with an alphanumeric character";
  return [...problems, patternProblem(message, subdomain, "example.com")];
}

export function dns1123SubdomainWithUnderscoreProblems(value: string): string[] {
  const problems = lengthProblems(value, subdomainMaxBytes);
  if (subdomainWithUnderscorePattern.test(value)) return problems;
  const message =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, " +
    "'_', '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, patternProblem(message, subdomainWithUnderscore, "example.com")];
}

export function dns1035LabelProblems(value: string): string[] {
  const problems = lengthProblems(value, labelMaxBytes);
  if (label1035Pattern.test(value)) return problems;
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    "start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, patternProblem(message, label1035, "my-name", "abc-123")];
}

/** A name that is one segment of a URL path; RBAC objects allow anything else. */
export function pathSegmentProblems(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"]
    .filter((character) => value.includes(character))
    .map((character) => `may not contain '${character}'`);
}

/** A generateName may end in a dash, since more follows it. */
export function asNamePrefix(check: NameCheck): NameCheck {
  return (prefix) => {
    const masked = prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix;
    return check(masked);
  };
}

function lengthProblems(
  value: string,
  maxBytes: number,
  unit: "bytes" | "characters" = "characters",
): string[] {
  return isLongerThan(value, maxBytes) ? [tooLongProblem(maxBytes, unit)] : [];
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}
