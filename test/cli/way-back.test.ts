/** Every command that writes can be tried without writing, and names a way back that works. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { statefulSetResource } from "../../src/api/apps.ts";
import type { KubeObject } from "../../src/api/object.ts";
import { isNotFound } from "../../src/api/status.ts";
import { commandNames } from "../../src/cli/program.ts";
import { namespace } from "../builders/scenario.ts";
import { cliOf } from "../builders/cli.ts";
import { rolling, statefulSetOf, statefulSetScenario } from "../builders/stateful-set-scenario.ts";
import { atLeastOne } from "../builders/must.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstep-way-back-"));
afterAll(() => rmSync(folder, { recursive: true }));
const environment = { HOME: folder };

/** They change no object of a cluster by themselves: they look, print, or run something that is asked for by name. */
const withoutWrites = new Set(
  (
    "list status watch why history diff plan sim foresee up dashboard operator crds rbac " +
    "get describe completion version"
  ).split(" "),
);

test("every command that writes has --dry-run", async () => {
  const { lockstep } = cliOf(await statefulSetScenario({ withoutSet: true }));
  const names = commandNames().map((name) => (name === "set" ? "set image" : name));
  const without: string[] = [];
  for (const name of names.filter((each) => !withoutWrites.has(each))) {
    if (!/^ +--dry-run/m.test((await lockstep(`${name} --help`)).text)) without.push(name);
  }
  expect(without).toEqual([]);
  expect(names.filter((each) => !withoutWrites.has(each))).toEqual(
    "pause resume undo promote restart set-image uninstall apply delete"
      .split(" ")
      .map((name) => name.replace("-", " ")),
  );
});

/** The commands after `to take it back:`. */
const takeBack = (text: string): readonly string[] =>
  (/to take it back: (.*)$/m.exec(text)?.[1] ?? "lockstep nothing").split(" && ");

async function worldWith(objects: readonly KubeObject[]) {
  const world = await statefulSetScenario({ withoutSet: true });
  const { lockstep } = cliOf(world);
  const ask = (line: string) => lockstep(line, { environment });
  const write = (changed: readonly KubeObject[]): string => {
    const file = join(folder, "given.yaml");
    writeFileSync(file, changed.map((object) => stringify(object)).join("---\n"));
    return file;
  };
  const file = write(objects);
  const undo = async (text: string): Promise<void> => {
    for (const command of atLeastOne(takeBack(text))) {
      const answer = await ask(command.replace(/^lockstep /, ""));
      expect({ command, ...answer }).toMatchObject({ code: 0 });
    }
  };
  const find = async () =>
    world.client
      .get(statefulSetResource, { namespace, name: "web" })
      .catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error as Error)));
  return { ...world, ask, write, file, undo, find };
}

const set = statefulSetOf({ replicas: 2, spec: rolling(1) });
const settings: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings" },
  data: { model: "llama-70b" },
};

test("what apply created is deleted, what it changed is applied again as it was", async () => {
  const { ask, file, write, undo, find } = await worldWith([set, settings]);
  expect((await ask(`apply -f ${file} --dry-run`)).text).toBe(
    "statefulset.apps/web created (server dry run)\nconfigmap/settings created (server dry run)",
  );
  const created = await ask(`apply -f ${file}`);
  expect(created.text).toBe(
    "statefulset.apps/web created\nconfigmap/settings created\n" +
      "  to take it back: lockstep delete statefulset.apps/web configmap/settings",
  );
  const before = await find();
  const changed = { ...set, spec: { ...set.spec, replicas: 3, minReadySeconds: 9 } };
  const configured = await ask(`apply -f ${write([changed, settings])}`);
  expect(configured.text.split("\n")).toEqual([
    "statefulset.apps/web configured",
    "configmap/settings unchanged",
    expect.stringMatching(
      /to take it back: lockstep apply -f \S+\/before\/\S+-statefulset-web.yaml$/,
    ),
  ]);
  expect((await find())?.["spec"]).toMatchObject({ replicas: 3, minReadySeconds: 9 });
  await undo(configured.text);
  expect((await find())?.["spec"]).toEqual(before?.["spec"]);
  await undo(created.text);
  expect(await find()).toBeUndefined();
});

test("many created objects are named in a file, in whatever namespace they are", async () => {
  const many = Array.from({ length: 12 }, (_, at): KubeObject => {
    const place = at % 2 === 0 ? {} : { namespace: "kube-system" };
    return { ...settings, metadata: { name: `settings-${at}`, ...place } };
  });
  const { ask, file, undo } = await worldWith(many);
  const created = await ask(`apply -f ${file}`);
  expect(created.text.split("\n").at(-1)).toMatch(
    /^ {2}to take it back: lockstep delete -f \S+\/before\/\S+-created-12-objects.yaml$/,
  );
  const left = async () => (await ask("get configmaps -A --no-headers")).text;
  expect(await left()).toContain("settings-11");
  await undo(created.text);
  expect(await left()).not.toContain("settings-");
  const { lockstep } = cliOf(await statefulSetScenario({ withoutSet: true }));
  const named = (await lockstep(`apply -f ${file}`)).text;
  expect(named).toContain("lockstep delete configmap/settings-0 configmap/settings-2 ");
  expect(named).toContain("configmap/settings-11 -n kube-system");
});

test("a name that a shell would obey is quoted in a command that is to be typed", async () => {
  const evil: KubeObject = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "a;touch x;$(id)" },
  };
  const { ask, file } = await worldWith([evil, settings]);
  expect((await ask(`apply -f ${file}`)).text).toContain(
    "to take it back: lockstep delete 'clusterrole.rbac.authorization.k8s.io/a;touch x;$(id)' && ",
  );
});

test("what delete removed comes back, readable by nobody else", async () => {
  const { ask, file, undo, find } = await worldWith([set]);
  await ask(`apply -f ${file}`);
  const before = await find();
  expect((await ask("delete sts web --dry-run")).text).not.toContain("take it back");
  const deleted = await ask("delete sts web --no-wait");
  expect(deleted.text).toMatch(
    /^statefulset.apps "web" deleted\n +to take it back: lockstep apply/,
  );
  const copies = join(folder, ".local/state/lockstep/before");
  const last = join(copies, readdirSync(copies).toSorted().at(-1) ?? "");
  expect(statSync(last).mode & 0o777).toBe(0o600);
  await undo(deleted.text);
  const after = await find();
  expect(after?.["spec"]).toEqual(before?.["spec"]);
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
});

test("what needs no copy, and what gets none, is said", async () => {
  const secret: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "password" },
    data: {},
  };
  const { ask, file, settled } = await worldWith([set, secret, settings]);
  await ask(`apply -f ${file}`);
  await settled();
  expect((await ask("delete pod web-0 --no-wait")).text).toBe(
    'pod "web-0" deleted\n  note: pod/web-0 is made again by statefulset/web',
  );
  expect((await ask("delete secret password")).text).toContain(
    "note: no copy of secret/password is kept: secrets are not written to disk",
  );
  const { lockstep } = cliOf(await statefulSetScenario({ withoutSet: true }));
  await lockstep(`apply -f ${file}`);
  expect((await lockstep("delete configmap settings")).text).toBe(
    'configmap "settings" deleted\n  note: no copy is kept: neither XDG_STATE_HOME nor HOME is set',
  );
});
