/** Kubernetes' own CEL types and their functions: quantities, URLs, addresses, semantic versions. */
import type { Environment } from "@marcbachmann/cel-js";
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  subtractQuantities,
} from "../api/quantity.ts";
import type { Quantity } from "../api/quantity.ts";
import { RuleProblem } from "./rule-problem.ts";
import { celEqual } from "./value-equality.ts";
import {
  CidrValue,
  cidrContains,
  compareSemver,
  IpValue,
  maskedBytes,
  normalizedSemver,
  parseCidr,
  parseIp,
  parseSemver,
  QuantityValue,
  SemverValue,
  UrlValue,
} from "./values.ts";

export function registerKubeFunctions(environment: Environment): void {
  registerQuantity(environment);
  registerUrl(environment);
  registerAddresses(environment);
  registerSemver(environment);
}

const nanosPerUnit = 1_000_000_000n;

function toQuantity(text: string): QuantityValue {
  const parsed = parseQuantity(text);
  if ("problem" in parsed) throw new RuleProblem(parsed.problem);
  return new QuantityValue(parsed);
}

function registerQuantity(environment: Environment): void {
  const compare = (a: QuantityValue, b: QuantityValue) => compareQuantities(a.quantity, b.quantity);
  const ofInt = (value: bigint): Quantity => ({ nanos: value * nanosPerUnit, format: "DecimalSI" });
  const combine =
    (operation: (a: Quantity, b: Quantity) => Quantity) =>
    (a: QuantityValue, b: QuantityValue | bigint) =>
      new QuantityValue(operation(a.quantity, typeof b === "bigint" ? ofInt(b) : b.quantity));
  const isInteger = (value: QuantityValue) => value.quantity.nanos % nanosPerUnit === 0n;
  environment
    .registerType("Quantity", { ctor: QuantityValue, fields: {} })
    .registerOperator(
      "Quantity == Quantity",
      (a: QuantityValue, b: QuantityValue) => compare(a, b) === 0,
    )
    .registerFunction("quantity(string): Quantity", toQuantity)
    .registerFunction(
      "isQuantity(string): bool",
      (text: string) => !("problem" in parseQuantity(text)),
    )
    .registerFunction("Quantity.isLessThan(Quantity): bool", (a, b) => compare(a, b) < 0)
    .registerFunction("Quantity.isGreaterThan(Quantity): bool", (a, b) => compare(a, b) > 0)
    .registerFunction("Quantity.compareTo(Quantity): int", (a, b) => BigInt(compare(a, b)))
    .registerFunction("Quantity.add(Quantity): Quantity", combine(addQuantities))
    .registerFunction("Quantity.add(int): Quantity", combine(addQuantities))
    .registerFunction("Quantity.sub(Quantity): Quantity", combine(subtractQuantities))
    .registerFunction("Quantity.sub(int): Quantity", combine(subtractQuantities))
    .registerFunction("Quantity.sign(): int", (a: QuantityValue) =>
      BigInt(compareQuantities(a.quantity, ofInt(0n))),
    )
    .registerFunction("Quantity.isInteger(): bool", isInteger)
    .registerFunction("Quantity.asInteger(): int", (a: QuantityValue) => {
      if (!isInteger(a)) throw new RuleProblem("cannot convert value to integer");
      return a.quantity.nanos / nanosPerUnit;
    })
    .registerFunction(
      "Quantity.asApproximateFloat(): double",
      (a: QuantityValue) => Number(a.quantity.nanos) / 1e9,
    );
}

/** As Go's ParseRequestURI: an absolute URL or an absolute path. */
export function parseUrl(text: string): UrlValue | undefined {
  if (/[\s\p{Cc}]/u.test(text) || text === "") return undefined;
  try {
    if (text.startsWith("/")) return new UrlValue(new URL(text, "http://localhost"), text);
    return new UrlValue(new URL(text), text);
  } catch {
    return undefined;
  }
}

function registerUrl(environment: Environment): void {
  // URL drops a port that its scheme implies, so host and port are read from the text.
  const authority = (value: UrlValue): string =>
    /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/.exec(value.text)?.[1] ?? "";
  const port = (value: UrlValue): string => /:(\d+)$/.exec(authority(value))?.[1] ?? "";
  const hostname = (value: UrlValue): string =>
    authority(value)
      .replace(/:\d*$/, "")
      .replaceAll(/^\[|\]$/g, "");
  environment
    .registerType("URL", { ctor: UrlValue, fields: {} })
    .registerOperator("URL == URL", celEqual)
    .registerFunction("isURL(string): bool", (text: string) => parseUrl(text) !== undefined)
    .registerFunction("url(string): URL", (text: string) => {
      const value = parseUrl(text);
      if (value === undefined) {
        throw new RuleProblem(
          `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
        );
      }
      return value;
    })
    .registerFunction("URL.getScheme(): string", (value: UrlValue) =>
      value.text.startsWith("/") ? "" : value.url.protocol.slice(0, -1),
    )
    .registerFunction("URL.getHost(): string", authority)
    .registerFunction("URL.getHostname(): string", hostname)
    .registerFunction("URL.getPort(): string", port)
    .registerFunction("URL.getEscapedPath(): string", (value: UrlValue) =>
      /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*(?=$|[?#])/.test(value.text) ? "" : value.url.pathname,
    )
    .registerFunction("URL.getQuery(): map<string, list<string>>", (value: UrlValue) =>
      queryOf(value),
    );
}

function queryOf({ url }: UrlValue): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [key, value] of url.searchParams) {
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return Object.fromEntries(values);
}

function ipOf(text: string): IpValue {
  const ip = parseIp(text);
  if (ip === undefined) {
    const shown = JSON.stringify(text);
    const problem = `ParseAddr(${shown}): unable to parse IP`;
    throw new RuleProblem(
      `IP Address ${shown} parse error during conversion from string: ${problem}`,
    );
  }
  return ip;
}

function cidrOf(text: string): CidrValue {
  const cidr = parseCidr(text);
  if (cidr === undefined) {
    throw new RuleProblem(
      `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): no '/'`,
    );
  }
  return cidr;
}

function registerAddresses(environment: Environment): void {
  const first = (ip: IpValue): number => ip.bytes[0] ?? 0;
  const isV4 = (ip: IpValue): boolean => ip.bytes.length === 4;
  const isZero = (bytes: readonly number[]): boolean => bytes.every((byte) => byte === 0);
  const isLoopback = (ip: IpValue): boolean =>
    isV4(ip) ? first(ip) === 127 : isZero(ip.bytes.slice(0, 15)) && ip.bytes[15] === 1;
  const isLinkLocal = (ip: IpValue): boolean =>
    isV4(ip)
      ? first(ip) === 169 && ip.bytes[1] === 254
      : first(ip) === 0xfe && ((ip.bytes[1] ?? 0) & 0xc0) === 0x80;
  const isMulticast = (ip: IpValue): boolean =>
    isV4(ip) ? first(ip) >> 4 === 14 : first(ip) === 255;
  const isBroadcast = (ip: IpValue): boolean => isV4(ip) && ip.bytes.every((byte) => byte === 255);
  environment
    .registerType("IP", { ctor: IpValue, fields: {} })
    .registerOperator("IP == IP", celEqual)
    .registerFunction("isIP(string): bool", (text: string) => parseIp(text) !== undefined)
    .registerFunction("ip(string): IP", ipOf)
    .registerFunction("string(IP): string", (ip: IpValue) => ip.text)
    .registerFunction("IP.family(): int", (ip: IpValue) => (isV4(ip) ? 4n : 6n))
    .registerFunction("IP.isUnspecified(): bool", (ip: IpValue) => isZero(ip.bytes))
    .registerFunction("IP.isLoopback(): bool", isLoopback)
    .registerFunction("IP.isLinkLocalUnicast(): bool", isLinkLocal)
    .registerFunction(
      "IP.isGlobalUnicast(): bool",
      (ip: IpValue) =>
        !(
          isZero(ip.bytes) ||
          isLoopback(ip) ||
          isLinkLocal(ip) ||
          isMulticast(ip) ||
          isBroadcast(ip)
        ),
    );
  registerCidr(environment);
}

function registerCidr(environment: Environment): void {
  const contains = (cidr: CidrValue, inner: CidrValue): boolean =>
    inner.prefixLength >= cidr.prefixLength && cidrContains(cidr, inner.ip);
  environment
    .registerType("CIDR", { ctor: CidrValue, fields: {} })
    .registerOperator("CIDR == CIDR", celEqual)
    .registerFunction("isCIDR(string): bool", (text: string) => parseCidr(text) !== undefined)
    .registerFunction("cidr(string): CIDR", cidrOf)
    .registerFunction("CIDR.containsIP(string): bool", (cidr: CidrValue, text: string) =>
      cidrContains(cidr, ipOf(text)),
    )
    .registerFunction("CIDR.containsIP(IP): bool", cidrContains)
    .registerFunction("CIDR.containsCIDR(string): bool", (cidr: CidrValue, text: string) =>
      contains(cidr, cidrOf(text)),
    )
    .registerFunction("CIDR.containsCIDR(CIDR): bool", contains)
    .registerFunction("CIDR.prefixLength(): int", (cidr: CidrValue) => BigInt(cidr.prefixLength))
    .registerFunction("CIDR.ip(): IP", (cidr: CidrValue) => cidr.ip)
    .registerFunction(
      "CIDR.masked(): CIDR",
      (cidr: CidrValue) =>
        new CidrValue(new IpValue(cidr.ip.text, maskedBytes(cidr)), cidr.prefixLength),
    );
}

function semverOf(text: string): SemverValue {
  const value = parseSemver(text);
  if (value === undefined) throw new RuleProblem(`No Major.Minor.Patch elements found in ${text}`);
  return value;
}

function registerSemver(environment: Environment): void {
  const part = (index: number) => (value: SemverValue) => value.numbers[index] ?? 0n;
  const readable = (text: string, lenient: boolean): string =>
    lenient ? normalizedSemver(text) : text;
  environment
    .registerType("Semver", { ctor: SemverValue, fields: {} })
    .registerOperator("Semver == Semver", celEqual)
    .registerFunction("isSemver(string): bool", (text: string) => parseSemver(text) !== undefined)
    .registerFunction(
      "isSemver(string, bool): bool",
      (text: string, lenient: boolean) => parseSemver(readable(text, lenient)) !== undefined,
    )
    .registerFunction("semver(string): Semver", semverOf)
    .registerFunction("semver(string, bool): Semver", (text: string, lenient: boolean) =>
      semverOf(readable(text, lenient)),
    )
    .registerFunction("Semver.isLessThan(Semver): bool", (a, b) => compareSemver(a, b) < 0)
    .registerFunction("Semver.isGreaterThan(Semver): bool", (a, b) => compareSemver(a, b) > 0)
    .registerFunction("Semver.compareTo(Semver): int", (a, b) => BigInt(compareSemver(a, b)))
    .registerFunction("Semver.major(): int", part(0))
    .registerFunction("Semver.minor(): int", part(1))
    .registerFunction("Semver.patch(): int", part(2));
}
