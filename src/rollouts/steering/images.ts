/** New images for containers of one or several pod specs: which change, and which do not exist. Pure. */
import type { PodSpec } from "../../api/pod.ts";
import type { ImageChange, PlacedImage, Steer } from "../kind.ts";
import { refused } from "../kind.ts";
import { nearest } from "../nearest.ts";

export interface ImageOf {
  readonly name: string;
  readonly image: string;
}

export interface ChangedImages {
  readonly kind: "changed";
  /** By component: the containers that get another image. */
  readonly images: Readonly<
    Record<
      string,
      { readonly containers: readonly ImageOf[]; readonly initContainers: readonly ImageOf[] }
    >
  >;
  /** `server v1 -> v2`. */
  readonly texts: readonly string[];
}

export interface UnknownContainer {
  readonly kind: "unknown";
  readonly change: ImageChange;
  /** What there is: `frontend/server`. */
  readonly known: readonly string[];
}

/** The name of a component that has no name of its own is empty. */
export function changeImages(
  specs: Readonly<Record<string, PodSpec>>,
  changes: readonly ImageChange[],
): ChangedImages | UnknownContainer {
  const known = containersOf(specs);
  const isMeant = (change: ImageChange, component: string, container: string): boolean =>
    (change.component === undefined || change.component === component) &&
    (change.container === "*" || change.container === container);
  const unknown = changes.find(
    (change) => !known.some(({ component, name }) => isMeant(change, component, name)),
  );
  if (unknown !== undefined) {
    const names = known.map(({ component, name }) => placeOf(component, name));
    return { kind: "unknown", change: unknown, known: names };
  }
  const changed = known.flatMap(({ component, name, image }) => {
    const change = changes.findLast((each) => isMeant(each, component, name));
    return change === undefined || change.image === image
      ? []
      : [{ component, name, before: image, image: change.image }];
  });
  const pick = (component: string, containers: PodSpec["containers"] = []): ImageOf[] =>
    changed
      .filter(
        (each) => each.component === component && containers.some(({ name }) => name === each.name),
      )
      .map(({ name, image }) => ({ name, image }));
  const images = Object.entries(specs).map(([component, spec]) => [
    component,
    {
      containers: pick(component, spec.containers),
      initContainers: pick(component, spec.initContainers),
    },
  ]);
  return {
    kind: "changed",
    images: Object.fromEntries(images) as ChangedImages["images"],
    texts: changed.map(
      ({ component, name, before, image }) => `${placeOf(component, name)} ${before} -> ${image}`,
    ),
  };
}

const containersOf = (specs: Readonly<Record<string, PodSpec>>) =>
  Object.entries(specs).flatMap(([component, { containers, initContainers = [] }]) =>
    [...initContainers, ...containers].map(({ name, image = "" }) => ({ component, name, image })),
  );

export const placedImages = (specs: Readonly<Record<string, PodSpec>>): readonly PlacedImage[] =>
  containersOf(specs).map(({ component, name, image }) => ({
    place: placeOf(component, name),
    image,
  }));

/** `frontend/server`, `server` or `*`. */
export function imageChange(place: string, image: string): ImageChange {
  const slash = place.lastIndexOf("/");
  const container = place.slice(slash + 1);
  return slash < 0 ? { container, image } : { component: place.slice(0, slash), container, image };
}

const placeOf = (component: string, container: string): string =>
  component === "" ? container : `${component}/${container}`;

export function noSuchContainer(named: string, { change, known }: UnknownContainer): Steer {
  const { component = "", container } = change;
  const given = placeOf(component, container);
  const meant = nearest(given, known);
  return refused(
    `${named} has no container ${given}`,
    meant === undefined ? `its containers are ${known.join(", ")}` : `did you mean ${meant}?`,
  );
}

/** Of a JSON patch for the pod spec at this path; each holds only while the container is where it was. */
export function imageOperations(
  path: string,
  podSpec: PodSpec,
  changed: ChangedImages["images"][string] | undefined,
): readonly unknown[] {
  return (["containers", "initContainers"] as const).flatMap((list) =>
    (changed?.[list] ?? []).flatMap(({ name, image }) => {
      const index = (podSpec[list] ?? []).findIndex((each) => each.name === name);
      const place = `${path}/${list}/${index}`;
      return [
        { op: "test", path: `${place}/name`, value: name },
        { op: "replace", path: `${place}/image`, value: image },
      ];
    }),
  );
}
