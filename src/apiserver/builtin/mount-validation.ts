/** Value rules of what a container mounts, and of paths inside volumes. */
import { forbidden, invalid, notFound, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import type { Container, Volume, VolumeMount } from "./pod-types.ts";
import { repeatedKeys } from "./repeated.ts";

export type KnownVolumes = ReadonlyMap<string, Volume>;

const propagations = ["Bidirectional", "HostToContainer", "None"];

export function validateVolumeMounts(
  container: Container,
  path: string,
  volumes: KnownVolumes,
): FieldError[] {
  const mounts = container.volumeMounts ?? [];
  const devices = container.volumeDevices ?? [];
  const privileged = container.securityContext?.privileged === true;
  const isRepeated = repeatedKeys();
  const deviceNames = new Set(devices.map(({ name }) => name));
  const devicePaths = new Set(devices.map(({ devicePath }) => devicePath));
  return mounts.flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (mount.name === "") errors.push(required(`${at}.name`));
    if (!volumes.has(mount.name)) errors.push(notFound(`${at}.name`, mount.name));
    if (mount.mountPath === "") errors.push(required(`${at}.mountPath`));
    if (isRepeated(mount.mountPath)) {
      errors.push(invalid(`${at}.mountPath`, mount.mountPath, "must be unique"));
    }
    if (deviceNames.has(mount.name)) {
      errors.push(invalid(`${at}.name`, mount.name, "must not already exist in volumeDevices"));
    }
    if (devicePaths.has(mount.mountPath)) {
      const detail = "must not already exist as a path in volumeDevices";
      errors.push(invalid(`${at}.mountPath`, mount.mountPath, detail));
    }
    return [
      ...errors,
      ...validateSubPaths(mount, path, at),
      ...validateModes(mount, path, privileged),
    ];
  });
}

export function validateVolumeDevices(
  container: Container,
  path: string,
  volumes: KnownVolumes,
): FieldError[] {
  const devices = container.volumeDevices ?? [];
  const mounted = new Set((container.volumeMounts ?? []).map(({ name }) => name));
  const isRepeatedName = repeatedKeys();
  const isRepeatedPath = repeatedKeys();
  return devices.flatMap((device, index) => {
    const at = `${path}[${index}]`;
    const volume = volumes.get(device.name);
    const errors: FieldError[] = [];
    if (device.name === "") errors.push(required(`${at}.name`));
    if (isRepeatedName(device.name)) {
      errors.push(invalid(`${at}.name`, device.name, "must be unique"));
    }
    if (volume === undefined) errors.push(notFound(`${at}.name`, device.name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const detail =
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
      errors.push(invalid(`${at}.name`, device.name, detail));
    }
    if (device.devicePath === "") errors.push(required(`${at}.devicePath`));
    if (isRepeatedPath(device.devicePath)) {
      errors.push(invalid(`${at}.devicePath`, device.devicePath, "must be unique"));
    }
    if (mounted.has(device.name)) {
      errors.push(invalid(`${at}.name`, device.name, "must not already exist in volumeMounts"));
    }
    return errors;
  });
}

/** A relative path that does not leave its start. */
export function validateDescendingPath(target: string, path: string): FieldError[] {
  const absolute = target.startsWith("/") ? [invalid(path, target, "must be a relative path")] : [];
  return [...absolute, ...validateNoParentSteps(target, path)];
}

export function validateNoParentSteps(target: string, path: string): FieldError[] {
  return target.split("/").includes("..") ? [invalid(path, target, "must not contain '..'")] : [];
}

/** Kubernetes keeps its own files in a volume under names that start with two dots. */
export function validateFreePath(target: string, path: string): FieldError[] {
  const errors = validateDescendingPath(target, path);
  if (target.startsWith("..") && !target.startsWith("../")) {
    errors.push(invalid(path, target, "must not start with '..'"));
  }
  return errors;
}

function validateSubPaths(mount: VolumeMount, path: string, at: string): FieldError[] {
  const { subPath = "", subPathExpr = "" } = mount;
  const errors = subPath === "" ? [] : validateDescendingPath(subPath, `${path}.subPath`);
  if (subPathExpr === "") return errors;
  if (subPath !== "") {
    const detail = "subPathExpr and subPath are mutually exclusive";
    errors.push(invalid(`${at}.subPathExpr`, subPathExpr, detail));
  }
  return [...errors, ...validateDescendingPath(subPathExpr, `${path}.subPathExpr`)];
}

function validateModes(mount: VolumeMount, path: string, privileged: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const propagation = mount.mountPropagation;
  if (propagation !== undefined && !propagations.includes(propagation)) {
    errors.push(notSupported(`${path}.mountPropagation`, propagation, propagations));
  }
  if (propagation === "Bidirectional" && !privileged) {
    const detail = "Bidirectional mount propagation is available only to privileged containers";
    errors.push(forbidden(`${path}.mountPropagation`, detail));
  }
  const recursive = mount.recursiveReadOnly;
  if (recursive === undefined || recursive === "Disabled") return errors;
  if (mount.readOnly !== true) {
    errors.push(
      forbidden(`${path}.recursiveReadOnly`, "may only be specified when readOnly is true"),
    );
  }
  return errors;
}
