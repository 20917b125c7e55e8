/** An HTTPS server that admits the given identities, and records how each request introduced itself. */
import { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { selfSignedCertificate } from "../../src/apiserver/http/certificate.ts";

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Of the client's certificate, where it showed one and proved that the key is its own. */
  readonly fingerprint: string | undefined;
}

export interface SecuredServer {
  readonly url: string;
  /** PEM of the certificate to trust. */
  readonly authority: string;
  readonly visits: readonly SeenRequest[];
  close(): void;
}

/** `hosts` are the names its certificate is good for besides those of the loopback. */
export async function securedServer(
  admits: (visit: SeenRequest) => boolean,
  hosts: readonly string[] = [],
): Promise<SecuredServer> {
  const identity = certificate(hosts);
  const visits: SeenRequest[] = [];
  const options = { ...identity, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, (request, response) => {
    const peer = (request.socket as TLSSocket).getPeerCertificate();
    const fingerprint = (peer as { fingerprint256?: string }).fingerprint256;
    const visit = { path: request.url ?? "", headers: request.headers, fingerprint };
    visits.push(visit);
    response.writeHead(admits(visit) ? 200 : 401, { "content-type": "application/json" });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority: identity.cert,
    visits,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const certificate = (hosts: readonly string[] = []): { cert: string; key: string } =>
  selfSignedCertificate(Date.now(), hosts);

export const fingerprintOf = (cert: string): string => new X509Certificate(cert).fingerprint256;
