/** Rules for a kind that has none of its own: status and the rest are written apart, names are subdomains. */
import type { KindRules } from "../served-resource.ts";

export const plainRules: KindRules = {
  applyDefaults: () => undefined,
  prepareForCreate: () => undefined,
  prepareForUpdate(draft, old, subresource) {
    for (const field of new Set([...Object.keys(draft), ...Object.keys(old)])) {
      const isOpen = (field === "status") === (subresource === "status");
      if (field === "metadata" || isOpen) continue;
      if (old[field] === undefined) delete draft[field];
      else draft[field] = old[field];
    }
  },
  validateCreate: () => [],
  validateUpdate: () => [],
  tracksGeneration: false,
};
