/** All commands in one program; the only list of them. A command is loaded when it is the one that runs. */
import { Command } from "commander";
import type { Io } from "./io.ts";
import { version } from "./release.ts";

interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  /** Of commands that do not bring their own. */
  readonly examples?: readonly string[];
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
      examples: [
        "lockstep set image podcliqueset/chat frontend/server=registry.example/chat:v2",
        "lockstep set image sts/web '*=registry.example/web:v2' --dry-run",
      ],
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
      name: "sim",
      summary: "put rollouts through faults, by the thousand, and check every promise",
      load: async (io) => (await import("./sim.ts")).simCommand(io),
    },
    {
      name: "foresee",
      summary: "show what a rollout would do, step by step",
      examples: [
        "lockstep foresee --replicas 10 --max-unavailable 3",
        "lockstep foresee --role prefill=20 --role decode=10 --max-skew 10%",
      ],
      load: async (io) => (await import("./foresee.ts")).foreseeCommand(io),
    },
  ],
  "Run:": [
    {
      name: "up",
      summary: "start the embedded cluster",
      examples: ["lockstep up", "lockstep up --nodes 50 --speed 10"],
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
      examples: [
        "lockstep operator",
        "lockstep operator --controllers statefulset --no-leader-elect",
      ],
      load: async (io) => (await import("./operator.ts")).operatorCommand(io),
    },
    {
      name: "crds",
      summary: "print the custom resource definitions",
      examples: ["lockstep crds | kubectl apply -f -"],
      load: async (io) => (await import("./crds.ts")).crdsCommand(io),
    },
    {
      name: "rbac",
      summary: "print the roles that the operator needs",
      examples: ["lockstep rbac | kubectl apply -f -", "lockstep rbac --controllers podcliqueset"],
      load: async (io) => (await import("./rbac.ts")).rbacCommand(io),
    },
    {
      name: "uninstall",
      summary: "remove all custom objects and definitions from a cluster",
      examples: ["lockstep uninstall --dry-run", "lockstep uninstall --yes --keep-definitions"],
      load: async (io) => (await import("./uninstall.ts")).uninstallCommand(io),
    },
  ],
  "Where there is no kubectl:": [
    {
      name: "get",
      summary: "list objects",
      examples: ["lockstep get pods -o wide -w", "lockstep get pcs,pcsg,pclq -A"],
      load: async (io) => (await import("./get.ts")).getCommand(io),
    },
    {
      name: "apply",
      summary: "make the cluster look like the manifests",
      examples: [
        "lockstep apply -f deploy/samples/statefulset.yaml",
        "lockstep apply -f manifests -R --dry-run server",
      ],
      load: async (io) => (await import("./apply.ts")).applyCommand(io),
    },
    {
      name: "delete",
      summary: "delete objects",
      examples: [
        "lockstep delete statefulset web",
        "lockstep delete -f deploy/samples/statefulset.yaml",
      ],
      load: async (io) => (await import("./delete.ts")).deleteCommand(io),
    },
    {
      name: "describe",
      summary: "show one object in full, with its events",
      examples: ["lockstep describe pod web-0", "lockstep describe podcliqueset chat"],
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
      const command = listed.name === chosen ? await loaded(listed, io) : placeholder(listed);
      program.addCommand(inheriting(command, program));
    }
  }
  program.helpCommand("help [command]", "show help for a command");
  if (chosen === completer.name) {
    program.addCommand(await completer.load(io), { hidden: true });
  }
  return program;
}

async function loaded({ load, examples: own = [] }: ListedCommand, io: Io): Promise<Command> {
  const command = await load(io);
  if (own.length === 0) return command;
  return command.addHelpText("after", `\nExamples:\n${own.map((line) => `  ${line}`).join("\n")}`);
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
  lockstep list -A                            every rollout of the cluster
  lockstep watch podcliqueset/chat            one of them, live
  lockstep why statefulset/web                what it waits for, what to type
  lockstep plan pcs/chat --image app=app:v2   what this image would do
  lockstep status sts/web --watch             for scripts: exit codes 0, 2, 3
  lockstep undo podcliqueset/chat --dry-run   what going back would do`;
