/** Defaults of one container, the same in pods and in pod templates. */
import { defaultPullPolicy } from "./image-name.ts";
import type { Container, EnvVar, Handler, HttpGet, Probe } from "./pod-types.ts";
import { defaultResources } from "./resource-defaults.ts";

export function defaultContainer(container: Container): void {
  if (isBlank(container.imagePullPolicy)) {
    container.imagePullPolicy = defaultPullPolicy(container.image ?? "");
  }
  if (isBlank(container.terminationMessagePath)) {
    container.terminationMessagePath = "/dev/termination-log";
  }
  if (isBlank(container.terminationMessagePolicy)) container.terminationMessagePolicy = "File";
  container.resources ??= {};
  defaultResources(container.resources);
  for (const port of container.ports ?? []) port.protocol = port.protocol || "TCP";
  for (const variable of container.env ?? []) defaultEnvVar(variable);
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe !== undefined) defaultProbe(probe);
  }
  defaultHandler(container.lifecycle?.postStart);
  defaultHandler(container.lifecycle?.preStop);
}

function defaultEnvVar(variable: EnvVar): void {
  const source = variable.valueFrom;
  if (source?.fieldRef !== undefined) source.fieldRef.apiVersion ||= "v1";
  if (source?.resourceFieldRef !== undefined) source.resourceFieldRef.divisor ??= "0";
  if (source?.fileKeyRef !== undefined) source.fileKeyRef.optional ??= false;
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHandler(probe);
  if (probe.grpc !== undefined) probe.grpc.service ??= "";
}

function defaultHandler(handler: Handler | undefined): void {
  if (handler?.httpGet !== undefined) defaultHttpGet(handler.httpGet);
}

function defaultHttpGet(httpGet: HttpGet): void {
  httpGet.path ||= "/";
  httpGet.scheme ||= "HTTP";
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text === "";
}
