/** kubectl commands that take manifests: create, apply, diff, replace, edit. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OpenDesk } from "../suite.ts";
import { configMap, definition, pod, widget, workload } from "../yaml.ts";

export function manifests(openDesk: OpenDesk): void {
  test("create -f creates once", async () => {
    const { cli } = await openDesk();
    const created = await cli.output(["create", "-f", "-"], { input: configMap("a") });
    expect(created).toBe("configmap/a created\n");
    const again = await cli.run(["create", "-f", "-"], { input: configMap("a") });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(
      '(AlreadyExists): error when creating "STDIN": configmaps "a" already exists',
    );
  });

  test("create -f refuses unknown fields and wrong values", async () => {
    const { cli } = await openDesk();
    const unknown = await cli.run(["create", "-f", "-"], {
      input: `${configMap("a")}colour: red\n`,
    });
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('strict decoding error: unknown field "colour"');
    const wrong = await cli.run(["create", "-f", "-"], { input: configMap("Wrong") });
    expect(wrong.stderr).toContain(
      'The ConfigMap "Wrong" is invalid: metadata.name: Invalid value',
    );
  });

  test("apply creates, then configures, then leaves unchanged", async () => {
    const { cli } = await openDesk();
    const apply = (input: string): Promise<string> => cli.output(["apply", "-f", "-"], { input });
    expect(await apply(configMap("a", "1"))).toBe("configmap/a created\n");
    expect(await apply(configMap("a", "2"))).toBe("configmap/a configured\n");
    expect(await apply(configMap("a", "2"))).toBe("configmap/a unchanged\n");
    expect(await cli.output(["get", "cm", "a", "-o", "jsonpath={.data.k}"])).toBe("2");
  });

  test("apply removes what the manifest no longer contains, and keeps what others added", async () => {
    const { cli } = await openDesk();
    const manifest = configMap("a").replace("\ndata:\n", '\ndata:\n  old: "x"\n');
    await cli.output(["apply", "-f", "-"], { input: manifest });
    await cli.output(["patch", "cm", "a", "-p", '{"data":{"theirs":"y"}}']);
    await cli.output(["apply", "-f", "-"], { input: configMap("a", "2") });
    expect(await cli.output(["get", "cm", "a", "-o", "jsonpath={.data}"])).toBe(
      '{"k":"2","theirs":"y"}',
    );
  });

  test("apply of a workload merges its containers", async () => {
    const { cli } = await openDesk();
    const manifest = workload("Deployment", "web");
    await cli.output(["apply", "-f", "-"], { input: manifest });
    const changed = manifest.replace("nginx:1", "nginx:2").replace(/ {6}- name: side\n.*\n/, "");
    await cli.output(["apply", "-f", "-"], { input: changed });
    const images = "-o=jsonpath={.spec.template.spec.containers[*].image}";
    expect(await cli.output(["get", "deployment", "web", images])).toBe("nginx:2");
  });

  test("apply of a list of documents reports each", async () => {
    const { cli } = await openDesk();
    const input = [configMap("a"), pod("b"), workload("StatefulSet", "c")].join("---\n");
    expect(await cli.output(["apply", "-f", "-"], { input })).toBe(
      "configmap/a created\npod/b created\nstatefulset.apps/c created\n",
    );
  });

  test("apply --dry-run=server changes nothing", async () => {
    const { cli } = await openDesk();
    const dry = ["apply", "--dry-run=server", "-f", "-"];
    expect(await cli.output(dry, { input: configMap("a") })).toBe(
      "configmap/a created (server dry run)\n",
    );
    expect((await cli.run(["get", "cm", "a"])).code).toBe(1);
  });

  test("diff shows what apply would change, by its exit code too", async () => {
    const { cli } = await openDesk();
    await cli.output(["apply", "-f", "-"], { input: configMap("a", "1") });
    expect((await cli.run(["diff", "-f", "-"], { input: configMap("a", "1") })).code).toBe(0);
    const changed = await cli.run(["diff", "-f", "-"], { input: configMap("a", "2") });
    expect(changed.code).toBe(1);
    expect(changed.stdout).toContain('-  k: "1"\n+  k: "2"\n');
  });

  test("replace needs an existing object", async () => {
    const { cli } = await openDesk();
    const missing = await cli.run(["replace", "-f", "-"], { input: configMap("a") });
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('configmaps "a" not found');
    await cli.output(["create", "-f", "-"], { input: configMap("a") });
    const replaced = await cli.output(["replace", "-f", "-"], { input: configMap("a", "9") });
    expect(replaced).toBe("configmap/a replaced\n");
    expect(await cli.output(["get", "cm", "a", "-o", "jsonpath={.data.k}"])).toBe("9");
  });

  test("replace --force creates a new object", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: pod("a") });
    const uid = ["get", "pod", "a", "-o", "jsonpath={.metadata.uid}"];
    const before = await cli.output(uid);
    await cli.output(["replace", "--force", "-f", "-"], { input: pod("a", "nginx:2") });
    expect(await cli.output(uid)).not.toBe(before);
  });

  test("edit sends what the editor saved", async () => {
    const { cli, folder } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: configMap("a", "before") });
    const editor = join(folder, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nsed -i s/before/after/ "$1"\n');
    chmodSync(editor, 0o755);
    const edited = await cli.output(["edit", "cm", "a"], { env: { EDITOR: editor } });
    expect(edited).toBe("configmap/a edited\n");
    expect(await cli.output(["get", "cm", "a", "-o", "jsonpath={.data.k}"])).toBe("after");
    const idle = await cli.run(["edit", "cm", "a"], { env: { EDITOR: "true" } });
    expect(idle.stderr).toContain("Edit cancelled, no changes made.");
  });

  test("edit of a workload sends a strategic patch", async () => {
    const { cli, folder } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload("Deployment", "web") });
    const editor = join(folder, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nsed -i s/nginx:1/nginx:7/ "$1"\n');
    chmodSync(editor, 0o755);
    await cli.output(["edit", "deployment", "web"], { env: { EDITOR: editor } });
    const images = "-o=jsonpath={.spec.template.spec.containers[*].image}";
    expect(await cli.output(["get", "deployment", "web", images])).toBe("nginx:7 side:1");
  });

  test("a definition can be applied, waited for, used and explained", async () => {
    const { cli, ns } = await openDesk();
    const name = `widgets.${ns}.lockstep.dev`;
    await cli.output(["apply", "-f", "-"], { input: definition(ns) });
    await cli.output(["wait", "--for=condition=Established", `crd/${name}`, "--timeout=20s"]);
    const created = await cli.output(["apply", "-f", "-"], { input: widget(ns, "a", 3) });
    expect(created).toBe(`widget.${ns}.lockstep.dev/a created\n`);
    expect(await cli.output(["get", name])).toMatch(/^NAME +COUNT\na +3\n$/);
    const refused = await cli.run(["apply", "-f", "-"], { input: widget(ns, "a", 10) });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'The Widget "a" is invalid: spec.count: Invalid value: 10: at most nine',
    );
    expect(await cli.output(["apply", "-f", "-"], { input: widget(ns, "a", 4) })).toContain(
      "configured",
    );
    expect(await cli.output(["explain", `${name}.spec`])).toContain("How many there are.");
    const scaled = await cli.output(["scale", `${name}/a`, "--replicas=5"]);
    expect(scaled).toContain("scaled");
    expect(await cli.output(["get", name, "a", "-o", "jsonpath={.spec.count}"])).toBe("5");
    await cli.output(["delete", "crd", name]);
  });
}
