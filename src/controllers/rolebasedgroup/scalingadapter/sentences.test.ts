/** Every sentence that a scaling adapter can say, each for a state in which it is true. */
import { expect, test } from "vitest";
import { drawnAtMs } from "../../../../test/builders/drawn-pods.ts";
import { groupOf } from "../../../../test/builders/role-based-group-scenario.ts";
import { conditionLines, eventLines, sentencesOf } from "../../../../test/builders/sentences.ts";
import type { RoleBasedGroup } from "../../../api/rbg/rolebasedgroup.ts";
import type { ScalingAdapter } from "../../../api/rbg/scaling-adapter.ts";
import type { EventText } from "../../../runtime/event-recorder.ts";
import { readerOf } from "../../../runtime/reader.ts";
import { groupCacheDefinitions } from "../caches.ts";
import type { Failure } from "../../engine/reconcile.ts";
import { scalingAdapterReconciler } from "./index.ts";
import type { Observed } from "./plan.ts";
import { observe, plan } from "./plan.ts";
import { adapterStatus } from "./status.ts";

const adapterOf = (name: string, role: string, replicas: number): ScalingAdapter => ({
  metadata: { name, namespace: "default", uid: name, creationTimestamp: name },
  spec: { replicas, scaleTargetRef: { name: "chat", role } },
});

interface Given {
  readonly role?: string;
  readonly replicas?: number;
  readonly isAlone?: boolean;
  readonly isFirst?: boolean;
  readonly failure?: Failure;
}

function observed({
  role = "decode",
  replicas = 2,
  isAlone = false,
  isFirst = true,
}: Given): Observed {
  const adapters = [adapterOf("b", role, replicas), ...(isFirst ? [] : [adapterOf("a", role, 1)])];
  const { indexes } = groupCacheDefinitions.adapters;
  const found = observe(
    {
      groups: readerOf<RoleBasedGroup>(isAlone ? [] : [groupOf({})]),
      adapters: readerOf(adapters, indexes as never),
    },
    { namespace: "default", name: "b" },
    drawnAtMs,
  );
  if (found === undefined) throw new Error("no adapter");
  return found;
}

const message = "spec.roles[1].replicas: must be at most 8";
const refused: Failure = { cause: new Error(message), message };

const states: Readonly<Record<string, readonly [Given]>> = {
  "the role has its size": [{}],
  "the role is scaled": [{ replicas: 5 }],
  "there is no group": [{ isAlone: true }],
  "there is no such role": [{ role: "router" }],
  "another adapter scales the role": [{ isFirst: false }],
  "the size is refused": [{ replicas: 9, failure: refused }],
};

test("every state says what is true in it", async () => {
  const text = await sentencesOf(states, ([given]) => {
    const seen = observed(given);
    return conditionLines(adapterStatus(seen, plan(seen), given.failure));
  });
  await expect(text).toMatchFileSnapshot("sentences.txt");
});

const events: Readonly<Record<string, readonly [Given]>> = {
  "the role is scaled": [{ replicas: 5 }],
  "the size is refused": [{ replicas: 9, failure: refused }],
};

test("every event is true when it is emitted", async () => {
  const text = await sentencesOf(events, ([given]) => {
    const recorded: (EventText | undefined)[] = [];
    const events = { record: (_about: unknown, event: EventText) => recorded.push(event) };
    const kind = scalingAdapterReconciler({} as never, { clock: {}, events } as never);
    const [seen, planned] = [observed(given), plan(observed(given))];
    if (given.failure !== undefined)
      recorded.push(kind.failureEvent?.(seen, planned, given.failure));
    kind.emit?.(seen, planned, adapterStatus(seen, planned, given.failure));
    return eventLines(recorded);
  });
  await expect(text).toMatchFileSnapshot("sentences-events.txt");
});
