/** Value rules of probes and lifecycle hooks. */
import { forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import { headerNameProblems, portNameProblems, portProblems } from "../../api/value-format.ts";
import { validateNonNegative } from "./number-rules.ts";
import type { Container, Handler, HttpGet, Lifecycle, Probe } from "./pod-types.ts";

const counts = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

export function validateHooks(
  container: Container,
  path: string,
  graceSeconds: number | undefined,
): FieldError[] {
  return [
    ...validateLifecycle(container.lifecycle, `${path}.lifecycle`, graceSeconds),
    ...validateProbe(container.livenessProbe, `${path}.livenessProbe`, "liveness"),
    ...validateProbe(container.readinessProbe, `${path}.readinessProbe`, "readiness"),
    ...validateProbe(container.startupProbe, `${path}.startupProbe`, "startup"),
  ];
}

export function validatePort(port: number | string, path: string): FieldError[] {
  const problems = typeof port === "number" ? portProblems(port) : portNameProblems(port);
  return problems.map((problem) => invalid(path, port, problem));
}

function validateLifecycle(
  lifecycle: Lifecycle | undefined,
  path: string,
  graceSeconds: number | undefined,
): FieldError[] {
  const { postStart, preStop } = lifecycle ?? {};
  return [
    ...(postStart === undefined
      ? []
      : validateHandler(postStart, `${path}.postStart`, graceSeconds)),
    ...(preStop === undefined ? [] : validateHandler(preStop, `${path}.preStop`, graceSeconds)),
  ];
}

function validateProbe(
  probe: Probe | undefined,
  path: string,
  use: "liveness" | "readiness" | "startup",
): FieldError[] {
  if (probe === undefined) return [];
  const errors = [
    ...validateHandler(probe, path, undefined),
    ...counts.flatMap((field) => validateNonNegative(probe[field], `${path}.${field}`)),
  ];
  const grace = probe.terminationGracePeriodSeconds;
  const gracePath = `${path}.terminationGracePeriodSeconds`;
  if (grace !== undefined && grace <= 0) {
    errors.push(invalid(gracePath, grace, "must be greater than 0"));
  }
  if (use === "readiness" && grace !== undefined) {
    errors.push(invalid(gracePath, grace, "must not be set for readinessProbes"));
  }
  if (use !== "readiness" && probe.successThreshold !== 1) {
    errors.push(invalid(`${path}.successThreshold`, probe.successThreshold ?? 0, "must be 1"));
  }
  return errors;
}

const handlerTypes = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

function validateHandler(
  handler: Handler,
  path: string,
  graceSeconds: number | undefined,
): FieldError[] {
  const given = handlerTypes.filter((type) => handler[type] !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return [required(path, "must specify a handler type")];
  return [
    ...validateHandlerType(handler, `${path}.${first}`, graceSeconds),
    ...others.map((type) =>
      forbidden(`${path}.${type}`, "may not specify more than 1 handler type"),
    ),
  ];
}

/** Only the first type given is validated. */
function validateHandlerType(
  handler: Handler,
  path: string,
  graceSeconds: number | undefined,
): FieldError[] {
  if (handler.exec !== undefined) {
    return (handler.exec.command ?? []).length === 0 ? [required(`${path}.command`)] : [];
  }
  if (handler.httpGet !== undefined) return validateHttpGet(handler.httpGet, path);
  if (handler.tcpSocket !== undefined) return validatePort(handler.tcpSocket.port, `${path}.port`);
  if (handler.grpc !== undefined) return validatePort(handler.grpc.port, `${path}.port`);
  const seconds = handler.sleep?.seconds ?? 0;
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
  return [invalid(path, seconds, detail)];
}

function validateHttpGet(httpGet: HttpGet, path: string): FieldError[] {
  const errors = validatePort(httpGet.port, `${path}.port`);
  if (httpGet.scheme !== "HTTP" && httpGet.scheme !== "HTTPS") {
    errors.push(notSupported(`${path}.scheme`, httpGet.scheme ?? "", ["HTTP", "HTTPS"]));
  }
  for (const header of httpGet.httpHeaders ?? []) {
    for (const problem of headerNameProblems(header.name)) {
      errors.push(invalid(`${path}.httpHeaders`, header.name, problem));
    }
  }
  return errors;
}
