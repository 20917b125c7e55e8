/** A TCP proxy that a test can cut, freeze and repair: what networks do to connections. */
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

export interface FlakyProxy {
  readonly port: number;
  /** Resets every connection and refuses new ones. */
  cut(): void;
  /** Keeps connections open but passes nothing on: neither side learns that the other is gone. */
  freeze(): void;
  /** Passes new connections again; those that were frozen stay dead. */
  repair(): void;
  /** Resets every connection once. */
  reset(): void;
  close(): void;
}

export async function flakyProxy(target: number): Promise<FlakyProxy> {
  let state: "open" | "cut" | "frozen" = "open";
  const sockets = new Set<Socket>();
  const reset = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
    sockets.clear();
  };
  const server = createServer((client) => {
    if (state === "cut") return void client.resetAndDestroy();
    sockets.add(client);
    client.on("error", () => undefined);
    if (state === "frozen") return undefined;
    const upstream = connect(target, "127.0.0.1");
    sockets.add(upstream);
    upstream.on("error", () => client.resetAndDestroy());
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.pipe(upstream);
    upstream.pipe(client);
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      state = "cut";
      reset();
    },
    freeze() {
      state = "frozen";
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    repair() {
      state = "open";
    },
    reset,
    close() {
      state = "cut";
      reset();
      server.close();
    },
  };
}
