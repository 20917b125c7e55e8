/** All commands in one program; the only list of them. A command is loaded when it is the one that runs. */
import { Command } from "commander";
import type { Io } from "./io.ts";
import { version } from "./release.ts";

interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: (io: Io) => Promise<Command>;
}

/** In the order of the help; headings group them. */
const groups: Readonly<Record<string, readonly ListedCommand[]>> = {
  "See:": [
    {
      name: "list",
      summary: "list rollouts with their state and progress",
      load: async (io) => (await import("./list.ts")).listCommand(io),
    },
    {
      name: "status",
      summary: "say where a rollout is; the exit code says whether it is healthy",
      load: async (io) => (await import("./status.ts")).statusCommand(io),
    },
    {
      name: "watch",
      summary: "show a rollout live: tree, budget, progress, reason, events",
      load: async (io) => (await import("./watch.ts")).watchCommand(io),
    },
    {
      name: "why",
      summary: "say why a rollout or a pod is where it is, and what would free it",
      load: async (io) => (await import("./why.ts")).whyCommand(io),
    },
    {
      name: "history",
      summary: "list the recorded revisions of a rollout",
      load: async (io) => (await import("./history.ts")).historyCommand(io),
    },
    {
      name: "diff",
      summary: "show what differs between two revisions",
      load: async (io) => (await import("./diff.ts")).diffCommand(io),
    },
  ],
  "Steer:": [
    {
      name: "pause",
      summary: "hold a rollout where it is",
      load: async (io) => (await import("./steer.ts")).pauseCommand(io),
    },
    {
      name: "resume",
      summary: "let a paused rollout go on",
      load: async (io) => (await import("./steer.ts")).resumeCommand(io),
    },
    {
      name: "undo",
      summary: "go back to an earlier revision",
      load: async (io) => (await import("./steer.ts")).undoCommand(io),
    },
    {
      name: "promote",
      summary: "lower the partition, or pass a pause",
      load: async (io) => (await import("./steer.ts")).promoteCommand(io),
    },
    {
      name: "restart",
      summary: "replace all pods, at the pace of a rollout",
      load: async (io) => (await import("./steer.ts")).restartCommand(io),
    },
    {
      name: "set",
      summary: "change the image of containers",
      load: async (io) => (await import("./steer.ts")).setCommand(io),
    },
  ],
  "Predict:": [
    {
      name: "plan",
      summary: "show what a change will do before it is made",
      load: async (io) => (await import("./plan.ts")).planCommand(io),
    },
    {
      name: "foresee",
      summary: "show what a rollout would do, step by step",
      load: async (io) => (await import("./foresee.ts")).foreseeCommand(io),
    },
  ],
  "Run:": [
    {
      name: "up",
      summary: "start the embedded cluster",
      load: async (io) => (await import("./up.ts")).upCommand(io),
    },
    {
      name: "dashboard",
      summary: "show rollouts on a page",
      load: async (io) => (await import("./dashboard.ts")).dashboardCommand(io),
    },
    {
      name: "operator",
      summary: "run the controllers against a cluster",
      load: async (io) => (await import("./operator.ts")).operatorCommand(io),
    },
    {
      name: "crds",
      summary: "print the custom resource definitions",
      load: async (io) => (await import("./crds.ts")).crdsCommand(io),
    },
    {
      name: "rbac",
      summary: "print the roles that the operator needs",
      load: async (io) => (await import("./rbac.ts")).rbacCommand(io),
    },
    {
      name: "uninstall",
      summary: "remove all custom objects and definitions from a cluster",
      load: async (io) => (await import("./uninstall.ts")).uninstallCommand(io),
    },
  ],
  "Where there is no kubectl:": [
    {
      name: "get",
      summary: "list objects",
      load: async (io) => (await import("./get.ts")).getCommand(io),
    },
    {
      name: "apply",
      summary: "make the cluster look like the manifests",
      load: async (io) => (await import("./apply.ts")).applyCommand(io),
    },
    {
      name: "delete",
      summary: "delete objects",
      load: async (io) => (await import("./delete.ts")).deleteCommand(io),
    },
    {
      name: "describe",
      summary: "show one object in full, with its events",
      load: async (io) => (await import("./describe.ts")).describeCommand(io),
    },
  ],
  "Other:": [
    {
      name: "completion",
      summary: "print the completion script of a shell",
      load: async (io) => (await import("./completion.ts")).completionCommand(io),
    },
    {
      name: "version",
      summary: "print the version of the command line and of the cluster",
      load: async (io) => (await import("./version.ts")).versionCommand(io),
    },
  ],
};

/** Shells call it; people do not. */
const completer: ListedCommand = {
  name: "__complete",
  summary: "",
  load: async (io) => (await import("./complete.ts")).completeCommand(io),
};

export const commandNames = (): readonly string[] =>
  Object.values(groups).flatMap((group) => group.map(({ name }) => name));

export async function buildProgram(io: Io, words: readonly string[]): Promise<Command> {
  const program = new Command("lockstep")
    .description(
      "Rollouts of grouped workloads on Kubernetes that keep their availability promise.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .showHelpAfterError("(add --help for what it takes)")
    .configureOutput({
      writeOut: (text) => io.print(text.trimEnd()),
      writeErr: (text) => io.warn(text.trimEnd()),
    })
    .addHelpText("after", examples)
    .exitOverride();
  const chosen = words[0] === "help" ? words[1] : words[0];
  for (const [heading, group] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const listed of group) {
      const command = listed.name === chosen ? await listed.load(io) : placeholder(listed);
      program.addCommand(inheriting(command, program));
    }
  }
  program.helpCommand("help [command]", "show help for a command");
  if (chosen === completer.name) {
    program.addCommand(await completer.load(io), { hidden: true });
  }
  return program;
}

/** Commands inside a command print and exit as the program does too. */
function inheriting(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  for (const inner of command.commands) inheriting(inner, command);
  return command;
}

const placeholder = ({ name, summary }: ListedCommand): Command =>
  new Command(name).summary(summary);

const examples = `
Examples:
  lockstep list -A                             every rollout of the cluster
  lockstep watch podcliqueset/chat             one of them, live
  lockstep why statefulset/web                 what it waits for, and what to type
  lockstep plan pcs/chat --image app=app:v2    what a change will do before it is made
  lockstep status statefulset/web --watch      for scripts: exits with 0, 2 (stalled) or 3 (still moving)
  lockstep undo podcliqueset/chat --dry-run    what going back would do`;
