/** Small value formats that several kinds share: ports, keys of config data, environment names. */
import { subdomainMaxBytes } from "./dns-name.ts";
import { emptyProblem, patternProblem, rangeProblem, tooLongProblem } from "./problem-text.ts";
import { isLongerThan } from "./text-size.ts";

const maxPort = 65_535;
const maxId = 2_147_483_647;
const portNameMaxBytes = 15;
const configKey = "[-._a-zA-Z0-9]+";
const configKeyPattern = new RegExp(`^${configKey}$`);
const headerName = "[-A-Za-z0-9]+";
const headerNamePattern = new RegExp(`^${headerName}$`);
const environmentNamePattern = /^[\x20-\x3c\x3e-\x7e]*$/;

export function portProblems(port: number): string[] {
  return isWithin(port, 1, maxPort) ? [] : [rangeProblem(1, maxPort)];
}

export function portNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (isLongerThan(name, portNameMaxBytes))
    problems.push(tooLongProblem(portNameMaxBytes, "characters"));
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) problems.push("must contain at least one letter (a-z)");
  if (name.includes("--")) problems.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) {
    problems.push("must not begin or end with a hyphen");
  }
  return problems;
}

/** User and group ids. */
export function idProblems(id: number): string[] {
  return isWithin(id, 0, maxId) ? [] : [rangeProblem(0, maxId)];
}

export function headerNameProblems(name: string): string[] {
  if (headerNamePattern.test(name)) return [];
  const message = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return [patternProblem(message, headerName, "X-Header-Name")];
}

export function environmentNameProblems(name: string): string[] {
  const problems = name === "" ? [`environment variable name ${emptyProblem}`] : [];
  if (environmentNamePattern.test(name)) return problems;
  const message =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return [...problems, message];
}

/** Keys of ConfigMaps and Secrets, which become file names. */
export function configKeyProblems(key: string): string[] {
  const problems = isLongerThan(key, subdomainMaxBytes)
    ? [tooLongProblem(subdomainMaxBytes, "characters")]
    : [];
  if (!configKeyPattern.test(key)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    problems.push(patternProblem(message, configKey, "key.name", "KEY_NAME", "key-name"));
  }
  if (key === ".") problems.push("must not be '.'");
  else if (key === "..") problems.push("must not be '..'");
  else if (key.startsWith("..")) problems.push("must not start with '..'");
  return problems;
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}
