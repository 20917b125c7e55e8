/** Flags that every command about rollouts takes, and how its answer is printed as data. */
import type { Command } from "commander";
import { Option } from "commander";
import { groupResource } from "../api/resource.ts";
import type { RolloutKind } from "../rollouts/kind.ts";
import type { ConnectionFlags } from "./connect.ts";
import { withConnectionFlags } from "./connect.ts";
import type { Io } from "./io.ts";
import type { ColourFlags } from "./paint.ts";

export type OutputFormat = "json" | "yaml" | "wide" | "name";

export interface RolloutFlags extends ConnectionFlags, ColourFlags {
  readonly output?: OutputFormat;
}

export function withRolloutFlags(
  command: Command,
  formats: readonly OutputFormat[] = ["json", "yaml", "wide", "name"],
): Command {
  return withConnectionFlags(command)
    .addOption(new Option("-o, --output <format>", "how to print").choices(formats))
    .option("--no-color", "no colours (also with NO_COLOR set)");
}

/** `podcliqueset.grove.io/chat`, as kubectl takes it. */
export const fullName = ({ resource, word }: RolloutKind, name: string): string =>
  `${groupResource({ group: resource.group, plural: word })}/${name}`;

/** How each of several answers is written: JSON in one line, YAML as a document of its own. Undefined for text. */
export async function writerOf(
  format: OutputFormat | undefined,
): Promise<((data: unknown) => string) | undefined> {
  if (format === "json") return (data) => JSON.stringify(data);
  if (format !== "yaml") return undefined;
  const { yamlText } = await import("./yaml-text.ts");
  return (data) => `---\n${yamlText(data)}`;
}

/** Prints data as the flag asks; false where it asks for text. */
export async function printData(
  io: Io,
  format: OutputFormat | undefined,
  data: unknown,
  names: () => readonly string[],
): Promise<boolean> {
  switch (format) {
    case "json":
      io.print(JSON.stringify(data, undefined, 2));
      return true;
    case "yaml": {
      const { yamlText } = await import("./yaml-text.ts");
      io.print(yamlText(data));
      return true;
    }
    case "name":
      for (const name of names()) io.print(name);
      return true;
    case "wide":
    case undefined:
      return false;
  }
}
