/** Data as YAML, loaded when it is printed: the bundle of a CommonJS package that is loaded so has no named exports. */
import { stringify } from "yaml";

export const yamlText = (value: unknown): string => stringify(value, { lineWidth: 0 }).trimEnd();
