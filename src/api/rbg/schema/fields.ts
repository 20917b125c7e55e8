/** Fields that stand in several of the kinds of workloads.x-k8s.io. */
import * as z from "zod";
import type { Condition } from "../../apps.ts";
import type { IntOrPercent } from "../../int-or-percent.ts";
import { builtinTypeKey, overlaysKey } from "../../definition/structural.ts";
import type { JsonObject } from "../../definition/structural.ts";
import type { PodSpec } from "../../pod.ts";

export const count = (): z.ZodInt32 => z.int32().min(0);

export const time = (): z.ZodISODateTime => z.iso.datetime();

/** Bounds on lists keep the rules over them affordable for the API server. */
export const mostRoles = 16;
export const mostCoordinations = 16;
export const mostSteps = 32;

export const percentPattern = "^([0-9]|[1-9][0-9]|100)%$";

/** `2` or `"25%"`. */
export const intOrPercent = (): z.ZodCustom<IntOrPercent, IntOrPercent> =>
  z.custom<IntOrPercent>().meta({
    anyOf: [{ type: "integer" }, { type: "string" }],
    minimum: 0,
    maxLength: 4,
    pattern: percentPattern,
    "x-kubernetes-int-or-string": true,
  });

/** A share of a role, such as `5%`. */
export const percent = (): z.ZodString => z.string().max(4).regex(new RegExp(percentPattern));

/** Names of roles become parts of hostnames and of label keys. */
export const roleName = (): z.ZodString =>
  z
    .string()
    .min(1)
    .max(44)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);

export const mapList = (key: string): JsonObject => ({
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": [key],
});

const variableName = { minLength: 1, pattern: "^[ -<>-~]+$" };

export interface WrittenTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: PodSpec;
}

export const podTemplate = (): z.ZodCustom<WrittenTemplate, WrittenTemplate> =>
  z.custom<WrittenTemplate>().meta({
    [builtinTypeKey]: "io.k8s.api.core.v1.PodTemplateSpec",
    [overlaysKey]: {
      "spec.containers.items.env.items.name": variableName,
      "spec.initContainers.items.env.items.name": variableName,
    },
  });

/** A pod template that is kept as it is written: it is checked where pods are made from it. */
export const loosePodTemplate = (): z.ZodCustom<WrittenTemplate, WrittenTemplate> =>
  z
    .custom<WrittenTemplate>()
    .meta({ type: "object", "x-kubernetes-preserve-unknown-fields": true });

/** A strategic merge patch of a pod template. */
export type TemplatePatch = Readonly<Record<string, unknown>>;

export const templatePatch = (): z.ZodCustom<TemplatePatch, TemplatePatch> =>
  z.custom<TemplatePatch>().meta({ type: "object", "x-kubernetes-preserve-unknown-fields": true });

export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
}

const unlisted = "Accepted for compatibility; the discovery file does not list it.";

const servicePortDescriptions = {
  name: {
    description:
      "What the discovery file lists the port under, in lower case and with _ for each dash. " +
      "Default: port and its number, such as port8000. Example: http.",
  },
  port: { description: "The number that the discovery file lists. Example: 8000." },
  appProtocol: { description: `${unlisted} Default: none. Example: kubernetes.io/h2c.` },
  nodePort: { description: `${unlisted} Default: none. Example: 30080.` },
  protocol: { description: `${unlisted} Default: TCP. Example: UDP.` },
  targetPort: { description: `${unlisted} Default: none. Example: 8000.` },
};

export const servicePort = (): z.ZodCustom<ServicePort, ServicePort> =>
  z.custom<ServicePort>().meta({
    [builtinTypeKey]: "io.k8s.api.core.v1.ServicePort",
    [overlaysKey]: servicePortDescriptions,
  });

export const observedGeneration = () =>
  z
    .int()
    .optional()
    .meta({ description: "The generation of the spec that this status belongs to." });

export const conditions = () =>
  z
    .array(
      z
        .custom<Condition>()
        .meta({ [builtinTypeKey]: "io.k8s.apimachinery.pkg.apis.meta.v1.Condition" }),
    )
    .meta({
      description: "What is true of it at the moment, with reasons.",
      ...mapList("type"),
    });
