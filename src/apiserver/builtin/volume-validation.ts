/** Value rules of a pod's volumes. */
import { dns1123LabelProblems } from "../../api/dns-name.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../api/field-error.ts";
import type { FieldError } from "../../api/field-error.ts";
import { quantity } from "../../api/quantity.ts";
import { validateClaimSpec } from "./claim-spec.ts";
import { validateFieldRef, validateResourceFieldRef, volumeFieldPaths } from "./env-validation.ts";
import { validateFreePath, validateNoParentSteps } from "./mount-validation.ts";
import type { DownwardFile, KeyToPath, Projection, Volume } from "./pod-types.ts";

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** The volumes that containers may name, and the errors of the others. */
export function validateVolumes(
  volumes: readonly Volume[],
  path: string,
): { readonly known: ReadonlyMap<string, Volume>; readonly errors: readonly FieldError[] } {
  const known = new Map<string, Volume>();
  const errors: FieldError[] = [];
  volumes.forEach((volume, index) => {
    const at = `${path}[${index}]`;
    const found = [...validateSource(volume, at), ...validateName(volume.name, `${at}.name`)];
    if (known.has(volume.name)) found.push(duplicate(`${at}.name`, volume.name));
    if (found.length === 0) known.set(volume.name, volume);
    errors.push(...found);
  });
  return { known, errors };
}

function validateName(name: string, path: string): FieldError[] {
  if (name === "") return [required(path)];
  return dns1123LabelProblems(name).map((problem) => invalid(path, name, problem));
}

function validateSource(volume: Volume, path: string): FieldError[] {
  const sources = Object.keys(volume).filter(
    (field) => field !== "name" && volume[field] !== undefined,
  );
  const [first, ...others] = sources.toSorted(bySourceOrder);
  if (first === undefined) return [required(path, "must specify a volume type")];
  return [
    ...(checks[first]?.(volume, `${path}.${first}`) ?? []),
    ...others.map((source) =>
      forbidden(`${path}.${source}`, "may not specify more than 1 volume type"),
    ),
  ];
}

const checks: Record<string, (volume: Volume, path: string) => FieldError[]> = {
  emptyDir: ({ emptyDir }, path) =>
    emptyDir?.sizeLimit !== undefined && quantity(emptyDir.sizeLimit).nanos < 0n
      ? [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
      : [],
  hostPath: ({ hostPath }, path) => validateHostPath(hostPath, path),
  secret: ({ secret }, path) => [
    ...validateRequired(secret?.secretName, `${path}.secretName`),
    ...validateMode(secret?.defaultMode, `${path}.defaultMode`),
    ...validateItems(secret?.items, `${path}.items`),
  ],
  nfs: ({ nfs }, path) => [
    ...validateRequired(nfs?.server, `${path}.server`),
    ...validateRequired(nfs?.path, `${path}.path`),
    ...(nfs?.path.startsWith("/") === true
      ? []
      : [invalid(`${path}.path`, nfs?.path ?? "", "must be an absolute path")]),
  ],
  persistentVolumeClaim: ({ persistentVolumeClaim }, path) =>
    validateRequired(persistentVolumeClaim?.claimName, `${path}.claimName`),
  downwardAPI: ({ downwardAPI }, path) => [
    ...validateMode(downwardAPI?.defaultMode, `${path}.defaultMode`),
    ...(downwardAPI?.items ?? []).flatMap((file) => validateDownwardFile(file, path)),
  ],
  configMap: ({ configMap }, path) => [
    ...validateRequired(configMap?.name, `${path}.name`),
    ...validateMode(configMap?.defaultMode, `${path}.defaultMode`),
    ...validateItems(configMap?.items, `${path}.items`),
  ],
  projected: ({ projected }, path) => [
    ...validateMode(projected?.defaultMode, `${path}.defaultMode`),
    ...(projected?.sources ?? []).flatMap((source, index) =>
      validateProjection(source, `${path}.sources[${index}]`, path),
    ),
  ],
  ephemeral: ({ ephemeral }, path) => {
    const at = `${path}.volumeClaimTemplate`;
    const template = ephemeral?.volumeClaimTemplate;
    return template === undefined ? [required(at)] : validateClaimSpec(template.spec, `${at}.spec`);
  },
  csi: ({ csi }, path) => validateRequired(csi?.driver, `${path}.driver`),
};

/** Kubernetes checks the sources in this order and validates only the first one given. */
const sourceOrder = Object.keys(checks);

function bySourceOrder(a: string, b: string): number {
  const rank = (source: string): number => {
    const index = sourceOrder.indexOf(source);
    return index < 0 ? sourceOrder.length : index;
  };
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function validateHostPath(hostPath: Volume["hostPath"], path: string): FieldError[] {
  if (hostPath === undefined || hostPath.path === "") return [required(`${path}.path`)];
  const errors = validateNoParentSteps(hostPath.path, `${path}.path`);
  const type = hostPath.type ?? "";
  if (hostPathTypes.includes(type)) return errors;
  return [...errors, notSupported(`${path}.type`, type, hostPathTypes)];
}

function validateProjection(source: Projection, path: string, root: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["secret", "configMap"] as const) {
    const reference = source[field];
    if (reference === undefined) continue;
    errors.push(...validateRequired(reference.name, `${path}.${field}.name`));
    errors.push(...validateItems(reference.items, `${path}.${field}.items`));
  }
  for (const file of source.downwardAPI?.items ?? []) {
    errors.push(...validateDownwardFile(file, `${path}.downwardAPI`));
  }
  const token = source.serviceAccountToken;
  if (token !== undefined) errors.push(...validateToken(token, path, root));
  if (Object.values(source).filter((given) => given !== undefined).length > 1) {
    errors.push(forbidden(path, "may not specify more than 1 volume type"));
  }
  return errors;
}

function validateToken(
  token: NonNullable<Projection["serviceAccountToken"]>,
  path: string,
  root: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const seconds = token.expirationSeconds ?? 0;
  if (seconds < 600) {
    const detail = "may not specify a duration less than 10 minutes";
    errors.push(invalid(`${path}.serviceAccountToken.expirationSeconds`, seconds, detail));
  }
  if (token.path === "") return [...errors, required(`${root}.path`)];
  return [...errors, ...validateFreePath(token.path, `${root}.path`)];
}

function validateDownwardFile(file: DownwardFile, path: string): FieldError[] {
  const errors = [
    ...validateRequired(file.path, `${path}.path`),
    ...validateFreePath(file.path, `${path}.path`),
  ];
  if (file.fieldRef !== undefined) {
    errors.push(...validateFieldRef(file.fieldRef, volumeFieldPaths, `${path}.fieldRef`));
    if (file.resourceFieldRef !== undefined) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      errors.push(invalid(path, "resource", detail));
    }
  } else if (file.resourceFieldRef === undefined) {
    errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  } else {
    const at = `${path}.resourceFieldRef`;
    errors.push(...validateResourceFieldRef(file.resourceFieldRef, at, true));
  }
  return [...errors, ...validateMode(file.mode, `${path}.mode`)];
}

function validateItems(items: readonly KeyToPath[] | undefined, path: string): FieldError[] {
  return (items ?? []).flatMap((item, index) => [
    ...validateRequired(item.key, `${path}[${index}].key`),
    ...validateRequired(item.path, `${path}[${index}].path`),
    ...validateFreePath(item.path, `${path}[${index}].path`),
    ...validateMode(item.mode, `${path}[${index}].mode`),
  ]);
}

function validateMode(mode: number | undefined, path: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

function validateRequired(value: string | undefined, path: string): FieldError[] {
  return value === undefined || value === "" ? [required(path)] : [];
}
