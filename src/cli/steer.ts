/** `lockstep pause | resume | undo | promote | restart | set image`: performs what the kind's steering returns. */
import { Command } from "commander";
import { ApiError } from "../api/status.ts";
import { UserError } from "../api/user-error.ts";
import type { ImageChange, Steer, SteerSubject, Steering } from "../rollouts/kind.ts";
import { loadRollout } from "../rollouts/load.ts";
import { imageChange } from "../rollouts/steering/images.ts";
import type { Connection } from "./connect.ts";
import { withConnection } from "./connect.ts";
import type { Io } from "./io.ts";
import { asTyped } from "./io.ts";
import { wholeNumber } from "./numbers.ts";
import type { NamedTarget, Target } from "./rollout-arguments.ts";
import { explained, getTarget, parseTarget } from "./rollout-arguments.ts";
import type { RolloutFlags } from "./rollout-flags.ts";
import { fullName, printData, withRolloutFlags } from "./rollout-flags.ts";

interface SteerFlags extends RolloutFlags {
  readonly dryRun?: boolean;
}

/** What a verb asks of a kind. */
type Ask = (steering: Steering, subject: SteerSubject) => Steer;

function steerCommand(name: string, examples: readonly string[]): Command {
  return withRolloutFlags(new Command(name))
    .argument("<rollout...>", "KIND/NAME or KIND NAME")
    .option("--dry-run", "ask the server what would happen, and change nothing")
    .addHelpText("after", ["\nExamples:", ...examples].join("\n  "));
}

export function pauseCommand(io: Io): Command {
  return steerCommand("pause", [
    "lockstep pause podcliqueset/chat",
    "lockstep pause sts web --dry-run",
  ])
    .summary("hold a rollout where it is")
    .description("Hold a rollout where it is. Lost pods still come back, and scaling goes on.")
    .action(acting(io, (steering, subject) => steering.pause(subject)));
}

export function resumeCommand(io: Io): Command {
  return steerCommand("resume", ["lockstep resume podcliqueset/chat"])
    .summary("let a paused rollout go on")
    .description("Let a paused rollout go on.")
    .action(acting(io, (steering, subject) => steering.resume(subject)));
}

interface UndoFlags extends SteerFlags {
  readonly toRevision?: number;
}

export function undoCommand(io: Io): Command {
  return steerCommand("undo", [
    "lockstep undo podcliqueset/chat                  to the revision before",
    "lockstep undo sts/web --to-revision 3 --dry-run  see `lockstep history`",
  ])
    .summary("go back to an earlier revision")
    .description(
      "Write the pods of an earlier revision back into the spec. Units that are still on it are kept.",
    )
    .option("--to-revision <number>", "a number of `lockstep history`", wholeNumber(1, 2 ** 31 - 1))
    .action((words: string[], flags: UndoFlags) =>
      acting(io, (steering, subject) => steering.undo(subject, flags.toRevision))(words, flags),
    );
}

interface PromoteFlags extends SteerFlags {
  readonly full?: boolean;
}

export function promoteCommand(io: Io): Command {
  return steerCommand("promote", [
    "lockstep promote podcliqueset/chat          one more replica, or past a pause",
    "lockstep promote podcliqueset/chat --full   all that is left",
  ])
    .summary("lower the partition, or pass a pause")
    .description(
      "Pass a pause; where there is none, lower the partition by one. With --full pass both for good. " +
        "Of a PodCliqueSet the partition of its replicas goes first, then those of its components.",
    )
    .option("--full", "lower every partition to 0 and resume")
    .action((words: string[], flags: PromoteFlags) =>
      acting(io, (steering, subject) => steering.promote(subject, flags.full === true))(
        words,
        flags,
      ),
    );
}

export function restartCommand(io: Io): Command {
  return steerCommand("restart", ["lockstep restart statefulset/web"])
    .summary("replace all pods, at the pace of a rollout")
    .description(
      "Replace all pods by new ones of the same template. It is a rollout like any other: " +
        "budgets, partitions and pauses hold.",
    )
    .action(acting(io, (steering, subject) => steering.restart(subject)));
}

export function setCommand(io: Io): Command {
  const image = withRolloutFlags(new Command("image"))
    .summary("change the image of containers")
    .description(
      "Change the image of containers: CONTAINER=IMAGE, or CLIQUE/CONTAINER=IMAGE; * is every container.",
    )
    .argument("<rollout...>", "KIND/NAME [COMPONENT/]CONTAINER=IMAGE ...")
    .option("--dry-run", "ask the server what would happen, and change nothing")
    .addHelpText(
      "after",
      "\nExamples:\n  lockstep set image statefulset/web server=registry.example/web:v2" +
        "\n  lockstep set image pcs/chat frontend/server=chat:v2 --dry-run",
    )
    .action((words: string[], flags: SteerFlags) => {
      const { rest } = parseTarget(words);
      const changes = rest.map(changeOf);
      if (changes.length === 0) throw noImage(words.join(" "));
      const ask: Ask = (steering, subject) => steering.setImage(subject, changes);
      return acting(io, ask, rest)(words, flags);
    });
  return new Command("set")
    .summary("change the image of containers")
    .description("Change a part of the template.")
    .addCommand(image);
}

function changeOf(text: string): ImageChange {
  const [, place = "", image = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (image === "") throw noImage(text);
  return imageChange(place, image);
}

const noImage = (text: string): UserError =>
  new UserError({
    problem: `"${text}" names no image`,
    fix: "write CONTAINER=IMAGE, for example server=registry.example/web:v2",
  });

const acting =
  (io: Io, ask: Ask, expected: readonly string[] = []) =>
  (words: readonly string[], flags: SteerFlags): Promise<void> => {
    const named = parseTarget(words);
    const more = named.rest.filter((word) => !expected.includes(word));
    if (more.length > 0) {
      throw new UserError({
        problem: `"${more.join(" ")}" is one name too many`,
        fix: "one command steers one rollout",
      });
    }
    return withConnection(flags, io, (connection) => act(connection, { named, ask, flags, io }));
  };

interface Order {
  readonly named: NamedTarget;
  readonly ask: Ask;
  readonly flags: SteerFlags;
  readonly io: Io;
}

/** Somebody else may have changed the object between reading and writing: then it is asked again. */
const attempts = 4;

async function act(connection: Connection, order: Order): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const target = await getTarget(connection, order.named);
    try {
      return await attemptOnce(connection, target, order);
    } catch (error) {
      const isLostRace = error instanceof ApiError && (error.code === 409 || isFailedTest(error));
      if (!isLostRace || attempt === attempts) {
        throw explained(error, target.kind, "patch", connection.namespace);
      }
    }
  }
}

/** A `test` of a JSON patch that does not hold any more. */
const isFailedTest = ({ code, message }: ApiError): boolean =>
  code === 422 && /test(ing)?\b.*(fail|path)/i.test(message);

async function attemptOnce(
  { client, namespace }: Connection,
  { kind, object }: Target,
  { ask, flags, io }: Order,
): Promise<void> {
  if (object.metadata.deletionTimestamp !== undefined) {
    throw new UserError({
      problem: `${kind.word}/${object.metadata.name} is being deleted`,
      fix: "there is nothing left to steer",
    });
  }
  const nowMs = io.clock.now();
  const loaded = await loadRollout(client, kind, object, nowMs);
  const steer = ask(kind.steering, loaded);
  const name = `${kind.word}/${object.metadata.name}`;
  if (steer.kind === "refused") throw new UserError({ problem: steer.problem, fix: steer.fix });
  const isDryRun = flags.dryRun === true;
  if (steer.kind === "change") {
    const key = { namespace, name: object.metadata.name ?? "" };
    const options = { dryRun: isDryRun, fieldManager: "lockstep" };
    await client.patch(kind.resource, key, steer.patch, options);
  }
  const said =
    steer.kind === "change"
      ? {
          changed: !isDryRun,
          did: steer.did,
          takeBack: steer.takeBack,
          patch: steer.patch,
        }
      : { changed: false, did: steer.why };
  const data = {
    apiVersion: "lockstep.dev/steer/v1",
    object: name,
    namespace,
    dryRun: isDryRun,
    ...said,
  };
  const names = (): string[] => [fullName(kind, object.metadata.name ?? "")];
  if (await printData(io, flags.output, data, names)) return;
  if (steer.kind === "nothing") return io.print(`${name} ${steer.why}: nothing was changed`);
  io.print(`${name} ${steer.did}${isDryRun ? " (dry run: nothing was changed)" : ""}`);
  for (const note of steer.notes ?? []) io.print(`  note: ${asTyped(note, io)}`);
  if (!isDryRun) io.print(`  to take it back: ${asTyped(steer.takeBack, io)}`);
}
