/** The kubeconfig of a control plane on this machine, readable only by its owner. */
import { writeFileSync } from "node:fs";

export interface KubeconfigSource {
  readonly url: string;
  /** PEM; absent for plain http. */
  readonly ca?: string;
  readonly token: string;
}

export function writeKubeconfig(file: string, { url, ca, token }: KubeconfigSource): void {
  const authority =
    ca === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(ca, "utf8").toString("base64") };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server: url, ...authority } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "admin" } }],
    "current-context": "test",
  };
  // JSON is YAML, and every client reads it.
  writeFileSync(file, JSON.stringify(config, undefined, 2), { mode: 0o600 });
}
