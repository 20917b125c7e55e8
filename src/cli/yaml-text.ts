/** Data as YAML, loaded when it is printed: the bundle of a CommonJS package that is loaded so has no named exports. */
import { writeYaml } from "../api/write-yaml.ts";

export const yamlText = (value: unknown): string => writeYaml(value, { lineWidth: 0 }).trimEnd();
