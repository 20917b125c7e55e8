/** The forms in which a stored object is shown; each is computed once and then shared. */
import type { KubeObject } from "../api/object.ts";
import { apiVersionOf } from "../api/resource.ts";
import type { ServedResource } from "./served-resource.ts";

const typedForms = new WeakMap<KubeObject, Map<ServedResource, KubeObject>>();
const bareForms = new WeakMap<KubeObject, KubeObject>();
const encodedForms = new WeakMap<KubeObject, string>();

/** The object as this resource shows it: in its version, with kind and apiVersion first. */
export function typedForm(resource: ServedResource, stored: KubeObject): KubeObject {
  if (resource.storage === undefined) return stored;
  const forms = typedForms.get(stored) ?? new Map<ServedResource, KubeObject>();
  const known = forms.get(resource);
  if (known !== undefined) return known;
  const form = Object.freeze(resource.storage.fromStored(stored));
  typedForms.set(stored, forms.set(resource, form));
  return form;
}

/** After a write through the resource: where that is stored as it was written, it needs no other form. */
export function rememberForm(resource: ServedResource, stored: KubeObject): void {
  if (resource.storage?.isAsWritten !== true) return;
  const forms = typedForms.get(stored) ?? new Map<ServedResource, KubeObject>();
  typedForms.set(stored, forms.set(resource, stored));
}

/** After a change of metadata alone: the same form as before will do. */
export function inheritForm(resource: ServedResource, from: KubeObject, to: KubeObject): void {
  if (typedForms.get(from)?.get(resource) === from) rememberForm(resource, to);
}

/** The form without kind and apiVersion that built-in kinds have in lists. */
export function bareForm(object: KubeObject): KubeObject {
  const known = bareForms.get(object);
  if (known !== undefined) return known;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  const form: KubeObject = Object.freeze(rest);
  bareForms.set(object, form);
  return form;
}

export function itemForm(resource: ServedResource, stored: KubeObject): KubeObject {
  const object = typedForm(resource, stored);
  return resource.listItemsAreTyped === true ? object : bareForm(object);
}

/** JSON of the whole object. The costly part is encoded once per state for all readers. */
export function encodedObject(resource: ServedResource, stored: KubeObject): string {
  const type = `"kind":"${resource.kind}","apiVersion":"${apiVersionOf(resource)}"`;
  return `{${type},${encodedFields(typedForm(resource, stored))}`;
}

export function encodedItem(resource: ServedResource, stored: KubeObject): string {
  return resource.listItemsAreTyped === true
    ? encodedObject(resource, stored)
    : `{${encodedFields(typedForm(resource, stored))}`;
}

/** Everything after the opening brace and the type, closing brace included. */
function encodedFields(object: KubeObject): string {
  const known = encodedForms.get(object);
  if (known !== undefined) return known;
  const { kind, apiVersion } = object;
  const whole = JSON.stringify(object);
  const type = `{"kind":"${kind}","apiVersion":"${apiVersion}",`;
  // Stored objects begin with their type, so the rest of the text is all that is needed.
  const text = whole.startsWith(type)
    ? whole.slice(type.length)
    : JSON.stringify(bareForm(object)).slice(1);
  encodedForms.set(object, text);
  return text;
}
