/** Tables of volumes and claims. */
import type { KubeObject } from "../../api/object.ts";
import { age, name, printer, shown, wide } from "./columns.ts";

interface Sized {
  readonly storage?: string;
}

interface Claim extends KubeObject {
  readonly spec?: {
    readonly volumeName?: string;
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly accessModes?: readonly string[];
    readonly capacity?: Sized;
  };
}

interface Volume extends KubeObject {
  readonly spec?: {
    readonly capacity?: Sized;
    readonly accessModes?: readonly string[];
    readonly persistentVolumeReclaimPolicy?: string;
    readonly claimRef?: { readonly namespace?: string; readonly name?: string };
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: { readonly phase?: string; readonly reason?: string };
}

const shortModes: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

const modesText = (modes: readonly string[] = []): string =>
  shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");

const phaseText = ({ metadata, status }: Claim | Volume): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? "") : "Terminating";

const isBound = ({ spec }: Claim): boolean => (spec?.volumeName ?? "") !== "";

/** The annotation is older than the field and still wins. */
const className = ({ metadata, spec }: Claim | Volume): string =>
  metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";

const storageClass = shown<Claim | Volume>("StorageClass", "Kind of storage.", className);
const attributesClass = shown<Claim | Volume>(
  "VolumeAttributesClass",
  "Class of changeable attributes.",
  ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>",
);
const volumeMode = wide<Claim | Volume>("VolumeMode", "Filesystem or Block.", ({ spec }) => {
  return spec?.volumeMode ?? "<unset>";
});

export const claimPrinter = printer<Claim>(
  name,
  shown("Status", "Whether a volume is bound.", phaseText),
  shown("Volume", "The bound volume.", ({ spec }) => spec?.volumeName ?? ""),
  shown("Capacity", "Size of the bound volume.", (claim) =>
    isBound(claim) ? (claim.status?.capacity?.storage ?? "0") : "",
  ),
  shown("Access Modes", "How the volume may be mounted.", (claim) =>
    isBound(claim) ? modesText(claim.status?.accessModes) : "",
  ),
  storageClass,
  attributesClass,
  age,
  volumeMode,
);

export const volumePrinter = printer<Volume>(
  name,
  shown("Capacity", "Size of the volume.", ({ spec }) => spec?.capacity?.storage ?? "0"),
  shown("Access Modes", "How the volume may be mounted.", (item) =>
    modesText(item.spec?.accessModes),
  ),
  shown("Reclaim Policy", "What happens to it after its claim.", ({ spec }) => {
    return spec?.persistentVolumeReclaimPolicy ?? "";
  }),
  shown("Status", "Whether it is bound to a claim.", phaseText),
  shown("Claim", "The claim it is bound to.", ({ spec }) => {
    const claim = spec?.claimRef;
    return claim === undefined ? "" : `${claim.namespace ?? ""}/${claim.name ?? ""}`;
  }),
  storageClass,
  attributesClass,
  shown("Reason", "Why it is in its status.", ({ status }) => status?.reason ?? ""),
  age,
  volumeMode,
);
