/** A certificate for the loopback addresses, created for every listener and trusted through the kubeconfig. */
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import {
  bits,
  element,
  integer,
  objectId,
  octets,
  sequence,
  setOf,
  tagged,
  truth,
  utcTime,
  utf8,
} from "./der.ts";

export interface Identity {
  /** PEM, both. */
  readonly cert: string;
  readonly key: string;
}

const dayMs = 24 * 60 * 60 * 1000;
const ecdsaWithSha256 = sequence(objectId("1.2.840.10045.4.3.2"));

/** `hosts` beyond localhost, 127.0.0.1 and ::1 are names or IPv4 addresses. */
export function selfSignedCertificate(nowMs: number, hosts: readonly string[] = []): Identity {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicDer = publicKey.export({ type: "spki", format: "der" });
  const name = sequence(setOf(sequence(objectId("2.5.4.3"), utf8("lockstep"))));
  const body = sequence(
    tagged(0, integer(Buffer.from([2]))),
    integer(serialOf(publicDer)),
    ecdsaWithSha256,
    name,
    sequence(utcTime(nowMs - dayMs), utcTime(nowMs + 3650 * dayMs)),
    name,
    publicDer,
    tagged(3, extensions(hosts)),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, ecdsaWithSha256, bits(signature));
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  return { cert: pem(certificate), key: key.toString() };
}

/** Positive and different for every key. */
function serialOf(publicDer: Buffer): Buffer {
  const digest = createHash("sha256").update(publicDer).digest();
  return Buffer.concat([Buffer.from([0x40 | ((digest[0] ?? 0) & 0x3f)]), digest.subarray(1, 12)]);
}

function extensions(hosts: readonly string[]): Buffer {
  const critical = (id: string, value: Buffer): Buffer =>
    sequence(objectId(id), truth(), octets(value));
  const ordinary = (id: string, value: Buffer): Buffer => sequence(objectId(id), octets(value));
  const signingAndCertificates = bits(Buffer.from([0x84]), 2);
  return sequence(
    critical("2.5.29.19", sequence(truth())),
    critical("2.5.29.15", signingAndCertificates),
    ordinary("2.5.29.37", sequence(objectId("1.3.6.1.5.5.7.3.1"))),
    ordinary("2.5.29.17", sequence(...alternativeNames(hosts))),
  );
}

function alternativeNames(hosts: readonly string[]): readonly Buffer[] {
  const names = [...new Set(["localhost", "127.0.0.1", ...hosts])].filter((host) => host !== "::1");
  const loopback6 = element(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])]));
  const encoded = names.map((host) =>
    isIPv4(host)
      ? element(0x87, Buffer.from(host.split(".").map(Number)))
      : element(0x82, Buffer.from(host, "ascii")),
  );
  return [...encoded, loopback6];
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
