/** The probes of a container, one line each. */
import type { Container, Probe } from "../api/pod.ts";

export function describeProbes(container: Container): string[] {
  const probes: [string, Probe | undefined][] = [
    ["Liveness", container.livenessProbe],
    ["Readiness", container.readinessProbe],
    ["Startup", container.startupProbe],
  ];
  return probes.flatMap(([title, probe]) =>
    probe === undefined ? [] : [`${title}:\t${actionText(probe)} ${timingText(probe)}`],
  );
}

function timingText(probe: Probe): string {
  const { initialDelaySeconds = 0, timeoutSeconds = 0, periodSeconds = 0 } = probe;
  const { successThreshold = 0, failureThreshold = 0 } = probe;
  return (
    `delay=${initialDelaySeconds}s timeout=${timeoutSeconds}s period=${periodSeconds}s ` +
    `#success=${successThreshold} #failure=${failureThreshold}`
  );
}

function actionText({ exec, httpGet, tcpSocket, grpc }: Probe): string {
  if (exec !== undefined) return `exec [${(exec.command ?? []).join(" ")}]`;
  if (httpGet !== undefined) {
    const { scheme = "HTTP", host = "", port, path = "" } = httpGet;
    return `http-get ${scheme.toLowerCase()}://${host}:${port}${path}`;
  }
  if (tcpSocket !== undefined) return `tcp-socket ${tcpSocket.host ?? ""}:${tcpSocket.port}`;
  return grpc === undefined ? "unknown" : `grpc <pod>:${grpc.port} ${grpc.service ?? ""}`.trimEnd();
}
