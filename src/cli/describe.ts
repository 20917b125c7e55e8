/** `lockstep describe`: one object in full, with its events: what it is and why it is not working. */
import { Command, Option } from "commander";
import type { KubeList, KubeObject } from "../api/object.ts";
import type { Pod } from "../api/pod.ts";
import type { Resource } from "../api/resource.ts";
import type { Connection, ConnectionFlags } from "./connect.ts";
import { withConnection, withConnectionFlags } from "./connect.ts";
import { describePod } from "./describe-pod.ts";
import { describeObject } from "./describe-object.ts";
import type { EventObject } from "../rollouts/events.ts";
import { eventLines } from "./event-table.ts";
import type { Io } from "./io.ts";
import { selectObjects } from "./object-arguments.ts";
import { discover } from "./resources.ts";
import { alignTabs } from "./tab-writer.ts";

interface DescribeFlags extends ConnectionFlags {
  readonly selector?: string;
  readonly showEvents: "true" | "false";
}

const events: Resource = {
  group: "",
  version: "v1",
  plural: "events",
  kind: "Event",
  namespaced: true,
};

export function describeCommand(io: Io): Command {
  return withConnectionFlags(new Command("describe"))
    .summary("show one object in full, with its events")
    .description(
      "Show objects in full with their events: `describe pod web-0`, `describe sts/web`.",
    )
    .argument("<what...>", "KIND, KIND NAME... or KIND/NAME...")
    .option("-l, --selector <query>", "label selector")
    .addOption(
      new Option("--show-events <choice>", "whether to list the events of each object")
        .choices(["true", "false"])
        .default("true"),
    )
    .action(async (words: string[], flags: DescribeFlags) => {
      await withConnection(flags, io, (connection) => describeAll(connection, words, flags, io));
    });
}

async function describeAll(
  connection: Connection,
  words: readonly string[],
  flags: DescribeFlags,
  io: Io,
): Promise<void> {
  const { client, namespace } = connection;
  let count = 0;
  for (const { resource, name } of selectObjects(await discover(connection.transport), words)) {
    const found: readonly KubeObject[] =
      name === undefined
        ? (await client.list(resource, { namespace, labelSelector: flags.selector })).items
        : [await client.get(resource, { namespace, name })];
    for (const object of found) {
      if (count++ > 0) io.print("\n");
      const isPod = resource.kind === "Pod" && resource.group === "";
      const described = isPod ? describePod(object as Pod) : describeObject(resource.kind, object);
      const eventTable =
        flags.showEvents === "true"
          ? eventLines(await eventsOf(connection, object), Date.now())
          : [];
      for (const line of alignTabs([...described, ...eventTable])) io.print(line);
    }
  }
  if (count === 0) io.warn(`No resources found in ${namespace} namespace.`);
}

async function eventsOf(
  { client, namespace }: Connection,
  { metadata }: KubeObject,
): Promise<readonly EventObject[]> {
  const list: KubeList<EventObject> = await client.list(events, {
    namespace: metadata.namespace ?? namespace,
    fieldSelector: `involvedObject.uid=${metadata.uid}`,
  });
  return list.items;
}
