/** Writes a value as YAML, however deep it is. */
import { stringify } from "yaml";
import type { CreateNodeOptions, DocumentOptions, SchemaOptions, ToStringOptions } from "yaml";

/** The library recurses several times for each level; what is too deep for that is written as JSON, which is YAML. */
export function writeYaml(value: unknown, style: WriteOptions = {}): string {
  try {
    return stringify(value, style);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `${JSON.stringify(value)}\n`;
  }
}

type WriteOptions = CreateNodeOptions & DocumentOptions & SchemaOptions & ToStringOptions;
