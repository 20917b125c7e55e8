/** Defaults of one volume; a volume without a source is an empty directory. */
import { defaultPullPolicy } from "./image-name.ts";
import { defaultClaimSpec } from "./claim-spec.ts";
import type { DownwardFile, Projection, Volume } from "./pod-types.ts";

const fileMode = 0o644;

/** Sources without a type of their own here, with the fields that Kubernetes fills in. */
const plainDefaults: Record<string, Readonly<Record<string, unknown>>> = {
  iscsi: { iscsiInterface: "default" },
  rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
  azureDisk: { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" },
  scaleIO: { storageMode: "ThinProvisioned", fsType: "xfs" },
};

export function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).every((field) => field === "name")) volume.emptyDir = {};
  if (volume.hostPath !== undefined) volume.hostPath.type ??= "";
  for (const source of [volume.secret, volume.configMap, volume.downwardAPI, volume.projected]) {
    if (source !== undefined) source.defaultMode ??= fileMode;
  }
  for (const file of volume.downwardAPI?.items ?? []) defaultDownwardFile(file);
  for (const source of volume.projected?.sources ?? []) defaultProjection(source);
  defaultRareSources(volume);
}

function defaultRareSources(volume: Volume): void {
  const claim = volume.ephemeral?.volumeClaimTemplate;
  if (claim !== undefined) {
    claim.metadata ??= {};
    defaultClaimSpec(claim.spec);
  }
  if (volume.image !== undefined) {
    volume.image.pullPolicy ||= defaultPullPolicy(volume.image.reference ?? "");
  }
  for (const [source, fields] of Object.entries(plainDefaults)) {
    const given = volume[source];
    if (given !== undefined) volume[source] = { ...fields, ...(given as object) };
  }
}

function defaultProjection(source: Projection): void {
  if (source.serviceAccountToken !== undefined) {
    source.serviceAccountToken.expirationSeconds ??= 3600;
  }
  for (const file of source.downwardAPI?.items ?? []) defaultDownwardFile(file);
}

function defaultDownwardFile(file: DownwardFile): void {
  if (file.fieldRef !== undefined) file.fieldRef.apiVersion ||= "v1";
  if (file.resourceFieldRef !== undefined) file.resourceFieldRef.divisor ??= "0";
}
