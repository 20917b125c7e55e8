/** All commands in one program; the only list of them. */
import { Command } from "commander";
import { applyCommand } from "./apply.ts";
import { crdsCommand } from "./crds.ts";
import { deleteCommand } from "./delete.ts";
import { describeCommand } from "./describe.ts";
import { foreseeCommand } from "./foresee.ts";
import { getCommand } from "./get.ts";
import type { Io } from "./io.ts";
import { operatorCommand } from "./operator.ts";
import { upCommand } from "./up.ts";

export const version = "0.1.0";

export function buildProgram(io: Io): Command {
  const program = new Command("lockstep")
    .description(
      "Rollouts of grouped workloads on Kubernetes that keep their availability promise.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .showHelpAfterError("(add --help for what it takes)")
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.warn(text.trimEnd()),
    })
    .exitOverride();
  for (const command of commands(io)) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  return program;
}

function commands(io: Io): Command[] {
  return [
    upCommand(io),
    operatorCommand(io),
    getCommand(io),
    applyCommand(io),
    deleteCommand(io),
    describeCommand(io),
    foreseeCommand(io),
    crdsCommand(io),
  ];
}
