import { expect, test } from "vitest";
import { VirtualClock } from "../runtime/virtual-clock.ts";
import type { DashboardApi } from "./api.ts";
import { Sessions } from "./sessions.ts";

/** Sessions over what the cluster is asked, what was opened, and what has ended. */
function started() {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const open = new Set<string>();
  const revoked = new Set<string>();
  const followed = new Set<string>();
  const sessions = new Sessions({
    clock,
    identify: async (token) => {
      asked.push(token);
      return token.startsWith("user-") && !revoked.has(token) ? `name of ${token}` : undefined;
    },
    open: (token) => {
      open.add(token);
      const api = {
        get isFollowed() {
          return followed.has(token);
        },
      } as DashboardApi;
      return { api, stop: () => void open.delete(token) };
    },
  });
  return { clock, sessions, asked, open, revoked, followed };
}

test("a token is asked about once a minute, and an unknown one opens nothing", async () => {
  const { clock, sessions, asked, open } = started();
  const first = await sessions.apiFor("user-1");
  expect(await sessions.apiFor("user-1")).toBe(first);
  expect(await sessions.apiFor("stranger")).toBeUndefined();
  expect(asked).toEqual(["user-1", "stranger"]);
  await clock.runFor(61_000);
  expect(await sessions.apiFor("user-1")).toBe(first);
  expect(asked.filter((token) => token === "user-1")).toHaveLength(2);
  expect([...open]).toEqual(["user-1"]);
});

test("two requests at once open one session", async () => {
  const { sessions } = started();
  const [a, b] = await Promise.all([sessions.apiFor("user-1"), sessions.apiFor("user-1")]);
  expect(a).toBe(b);
});

test("who went away is forgotten, who has a page open is not", async () => {
  const { clock, sessions, open, followed } = started();
  await sessions.apiFor("user-1");
  await sessions.apiFor("user-2");
  followed.add("user-2");
  await clock.runFor(420_000);
  expect([...open]).toEqual(["user-2"]);
});

test("a revoked token ends what it opened", async () => {
  const { clock, sessions, open, revoked, followed } = started();
  await sessions.apiFor("user-1");
  followed.add("user-1");
  revoked.add("user-1");
  await clock.runFor(61_000);
  expect([...open]).toEqual([]);
  expect(await sessions.apiFor("user-1")).toBeUndefined();
});

test("there is an end to how many can sign in", async () => {
  const { sessions } = started();
  for (let user = 0; user < 50; user += 1) await sessions.apiFor(`user-${user}`);
  await expect(sessions.apiFor("user-50")).rejects.toThrow(/too many people/);
});
