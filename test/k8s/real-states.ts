/**
 * The command line in every state on a real API server: every verb, on a terminal and into a pipe. Each golden file
 * holds for both servers: what is said must not depend on which one it is.
 */
import { expect } from "vitest";
import type { Resource } from "../../src/api/resource.ts";
import { podResource } from "../../src/api/pod.ts";
import { chooseKinds } from "../../src/cli/controllers.ts";
import { installDefinitions } from "../../src/cli/definitions.ts";
import type { Io } from "../../src/cli/io.ts";
import { run } from "../../src/cli/run.ts";
import { holdLease } from "../../src/cli/up-lease.ts";
import { printableLine } from "../../src/cli/terminal-text.ts";
import type { ControlledKind } from "../../src/controllers/engine/controlled-kind.ts";
import { startKinds } from "../../src/controllers/engine/kind-definition.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import type { CommandAnswer } from "../builders/cli.ts";
import { withoutControls } from "../builders/cli.ts";
import type { Asked, Stage } from "../cli/transcript.ts";
import { stable, stableTranscriptOf, transcriptWith, wide } from "../cli/transcript.ts";
import type { PodLife } from "../control-plane/kwok-stages.ts";
import type { RealCluster } from "./real-cluster.ts";
import { namespace, startRealCluster, until } from "./real-cluster.ts";

export async function realStates(life: PodLife) {
  const cluster: RealCluster = await startRealCluster({
    kwok: { startDelayMs: 200, stopDelayMs: 100, ...life },
  });
  const { client } = cluster;
  await installDefinitions(client);
  let controllers: readonly ControlledKind[] = [];
  const startOperator = async (): Promise<void> => {
    controllers = await startKinds(chooseKinds("all"), {
      client: await cluster.operatorClient(),
      clock: systemClock(),
      modes: { statefulset: "full" },
      onProblem: () => undefined,
    });
  };
  const stopOperator = async (): Promise<void> => {
    for (const controller of controllers) await controller.stop();
    controllers = [];
  };
  await holdLease(client, systemClock(), ["statefulset"]);
  await startOperator();

  async function lockstep(line: string, isTerminal = false, rows = 60): Promise<CommandAnswer> {
    const printed: string[] = [];
    const drawn: string[] = [];
    const io: Io = {
      print: (text) => void printed.push(printableLine(text)),
      warn: (text) => void printed.push(`! ${printableLine(text)}`),
      write: (text) => void drawn.push(text),
      size: () => ({ columns: wide, rows }),
      isTerminal,
      // A flag would be in every command that is printed to be typed.
      environment: { KUBECONFIG: cluster.plane.kubeconfig },
      workingDirectory: cluster.plane.folder,
      readStandardInput: () => "",
      stopping: new AbortController().signal,
      clock: systemClock(),
    };
    const code = await run(line.split(" "), io);
    const screen = drawn.findLast((each) => each.includes("\n")) ?? "";
    return { code, text: withoutControls([...printed, screen].join("\n").trim()) };
  }

  /** Both servers say the same of it, once the real one is where the embedded one is. */
  async function expectSame(name: string, stage: Stage | undefined, asked: Asked): Promise<void> {
    if (stage === undefined) throw new Error(`there is no ${name}`);
    const embedded = await stableTranscriptOf(await stage(), asked);
    const last = { text: "" };
    const isThere = async (): Promise<boolean> => {
      for (const each of [asked.rollout, ...(asked.parts ?? [])]) {
        last.text = stable((await lockstep(`status ${each}`)).text);
        if (!embedded.includes(`\n${last.text}\n`)) return false;
      }
      return true;
    };
    await until(`${name} is reached`, isThere, 60_000).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}; it says: ${last.text}`);
    });
    const ask = (line: string, { isTerminal, rows }: { isTerminal: boolean; rows: number }) =>
      lockstep(line, isTerminal, rows);
    const real = stable(await transcriptWith(ask, asked));
    expect(real).toBe(embedded);
    await expect(real).toMatchFileSnapshot(`golden/${name}.txt`);
  }

  const noObjects = async (resource: Resource): Promise<boolean> =>
    (await client.list(resource, { namespace })).items.length === 0;

  async function remove(resource: Resource, name: string): Promise<void> {
    const key = { namespace, name };
    await client.patch(resource, key, {
      type: "merge",
      body: { metadata: { finalizers: null } },
    });
    await client.delete(resource, key).catch(() => undefined);
    const isGone = async (): Promise<boolean> =>
      (await noObjects(resource)) && (await noObjects(podResource));
    // The garbage collector learns of new kinds every 30 seconds.
    await until(`${name} is gone`, isGone, 90_000);
  }

  /** As somebody deletes an object that something else still holds. */
  async function deleteHeld(resource: Resource, name: string): Promise<void> {
    const key = { namespace, name };
    const { metadata } = await client.get(resource, key);
    const finalizers = [...(metadata.finalizers ?? []), "example.com/backup"];
    await client.patch(resource, key, { type: "merge", body: { metadata: { finalizers } } });
    await client.delete(resource, key);
  }

  const stop = async (): Promise<void> => {
    await stopOperator();
    await cluster.stop();
  };
  return { client, startOperator, stopOperator, lockstep, expectSame, remove, deleteHeld, stop };
}

export type RealStates = Awaited<ReturnType<typeof realStates>>;
