/** Content negotiation: the shape in which a client wants its answer. */
import { notAcceptable } from "./errors.ts";

export type Shape = "plain" | "Table" | "PartialObjectMetadata" | "APIGroupDiscoveryList";

export interface Wanted {
  readonly shape: Shape;
  readonly format: "json" | "yaml";
}

interface Clause {
  readonly mediaType: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const accepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/** The first clause that can be served wins: clients list their preferences in order. */
export function negotiate(accept: string | undefined, shapes: readonly Shape[]): Wanted {
  if (accept === undefined || accept.trim() === "") return { shape: "plain", format: "json" };
  for (const clause of clausesOf(accept)) {
    const format = formatOf(clause.mediaType);
    const shape = shapeOf(clause);
    if (format !== undefined && shape !== undefined && shapes.includes(shape)) {
      return { shape, format };
    }
  }
  throw notAcceptable(accepted);
}

function clausesOf(accept: string): readonly Clause[] {
  return accept.split(",").map((text) => {
    const [mediaType = "", ...rest] = text.split(";").map((part) => part.trim());
    const parameters = new Map(
      rest.map((part) => {
        const [name = "", value = ""] = part.split("=");
        return [name.trim(), value.trim()];
      }),
    );
    return { mediaType: mediaType.toLowerCase(), parameters };
  });
}

function formatOf(mediaType: string): Wanted["format"] | undefined {
  if (["application/json", "application/*", "*/*"].includes(mediaType)) return "json";
  return mediaType === "application/yaml" ? "yaml" : undefined;
}

const shapesByName: Readonly<Record<string, Shape>> = {
  "Table/meta.k8s.io/v1": "Table",
  "PartialObjectMetadata/meta.k8s.io/v1": "PartialObjectMetadata",
  "PartialObjectMetadataList/meta.k8s.io/v1": "PartialObjectMetadata",
  "APIGroupDiscoveryList/apidiscovery.k8s.io/v2": "APIGroupDiscoveryList",
};

function shapeOf({ parameters }: Clause): Shape | undefined {
  const as = parameters.get("as");
  if (as === undefined) return "plain";
  return shapesByName[`${as}/${parameters.get("g")}/${parameters.get("v")}`];
}
