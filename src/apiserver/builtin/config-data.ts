/** The rules of ConfigMaps and Secrets. */
import { forbidden, invalid, required, tooLong, type FieldError } from "../../api/field-error.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import type { KubeObject } from "../../api/object.ts";
import { immutableProblem } from "../../api/problem-text.ts";
import { byteLength } from "../../api/text-size.ts";
import { configKeyProblems } from "../../api/value-format.ts";
import { kindRules } from "./kind-rules.ts";

type Data = Record<string, string>;

interface ConfigMap extends KubeObject {
  data?: Data;
  binaryData?: Data;
  immutable?: boolean;
}

interface Secret extends KubeObject {
  data?: Data;
  stringData?: Data;
  type?: string;
  immutable?: boolean;
}

const maxBytes = 1024 * 1024;

/** The keys that a secret of the type must have. */
const keysByType: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};
const accountAnnotation = "kubernetes.io/service-account.name";

export const configMapRules = kindRules<ConfigMap>({
  validate: (draft) => {
    const { data = {}, binaryData = {} } = draft;
    const shared = Object.keys(data)
      .filter((key) => Object.hasOwn(binaryData, key))
      .map((key) => invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    const size = textBytes(data) + decodedBytes(binaryData);
    return [
      ...validateKeys(data, "data"),
      ...shared,
      ...validateKeys(binaryData, "binaryData"),
      ...(size > maxBytes ? [tooLong("[]", maxBytes)] : []),
    ];
  },
  validateChange: (draft, old) => validateImmutable(draft, old, ["data", "binaryData"]),
});

export const secretRules = kindRules<Secret>({
  applyDefaults(draft) {
    draft.type ||= "Opaque";
    if (draft.stringData === undefined) return;
    // Plain text is accepted for convenience in writes; base64 is what is stored and read.
    const encoded = Object.entries(draft.stringData).map(([key, text]) => [
      key,
      Buffer.from(text, "utf8").toString("base64"),
    ]);
    draft.data = { ...draft.data, ...(Object.fromEntries(encoded) as Data) };
    delete draft.stringData;
  },
  validate: (draft) => [
    ...validateKeys(draft.data ?? {}, "data"),
    ...(decodedBytes(draft.data ?? {}) > maxBytes ? [tooLong("data", maxBytes)] : []),
    ...validateType(draft),
  ],
  validateChange: (draft, old) => [
    ...(draft.type === old.type ? [] : [invalid("type", draft.type ?? "", immutableProblem)]),
    ...validateImmutable(draft, old, ["data"]),
  ],
});

function validateKeys(data: Data, path: string): FieldError[] {
  return Object.keys(data).flatMap((key) =>
    configKeyProblems(key).map((problem) => invalid(`${path}[${key}]`, key, problem)),
  );
}

/** Once an object is immutable, neither the flag nor the content can change. */
function validateImmutable<T extends ConfigMap | Secret>(
  draft: T,
  old: T,
  fields: readonly (keyof T & string)[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const detail = "field is immutable when `immutable` is set";
  const changed = fields.filter((field) => !semanticallyEqual(draft[field], old[field]));
  const cleared = draft.immutable === true ? [] : ["immutable"];
  return [...cleared, ...changed].map((field) => forbidden(field, detail));
}

function validateType({ type = "", data = {}, metadata }: Secret): FieldError[] {
  if (type === "kubernetes.io/service-account-token") {
    if ((metadata.annotations?.[accountAnnotation] ?? "") !== "") return [];
    return [required(`metadata.annotations[${accountAnnotation}]`)];
  }
  if (type === "kubernetes.io/basic-auth") {
    const keys = ["username", "password"];
    if (keys.some((key) => Object.hasOwn(data, key))) return [];
    return keys.map((key) => required(`data[${key}]`));
  }
  return (keysByType[type] ?? [])
    .filter((key) => !Object.hasOwn(data, key))
    .map((key) => required(`data[${key}]`));
}

function textBytes(data: Data): number {
  return Object.values(data).reduce((sum, value) => sum + byteLength(value), 0);
}

function decodedBytes(data: Data): number {
  return Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value, "base64"), 0);
}
