/** kubectl delete: by name, by label, by file, with each cascade, with and without waiting. */
import { expect, test } from "vitest";
import type { Kubectl } from "../kubectl.ts";
import type { OpenDesk } from "../suite.ts";
import { configMap, pod } from "../yaml.ts";

/** A config map `owner` and a pod `dependent` that belongs to it. */
async function ownerAndDependent(cli: Kubectl): Promise<void> {
  await cli.output(["create", "-f", "-"], { input: configMap("owner") });
  const uid = await cli.output(["get", "cm", "owner", "-o", "jsonpath={.metadata.uid}"]);
  const reference = `ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: owner, uid: ${uid}}]`;
  const input = pod("dependent").replace("metadata:\n", `metadata:\n  ${reference}\n`);
  await cli.output(["create", "-f", "-"], { input });
}

export function deletions(openDesk: OpenDesk): void {
  test("delete by name waits until the object is gone", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: configMap("a") });
    expect(await cli.output(["delete", "cm", "a"])).toMatch(/^configmap "a" deleted/);
    const again = await cli.run(["delete", "cm", "a"]);
    expect([again.code, again.stderr]).toEqual([
      1,
      'Error from server (NotFound): configmaps "a" not found\n',
    ]);
    expect((await cli.run(["delete", "cm", "a", "--ignore-not-found"])).code).toBe(0);
  });

  test("delete by label and by file", async () => {
    const { cli } = await openDesk();
    for (const name of ["a", "b"])
      await cli.output(["create", "-f", "-"], { input: configMap(name) });
    await cli.output(["delete", "-f", "-"], { input: configMap("a") });
    expect(await cli.output(["delete", "cm", "-l", "app=web"])).toMatch(/^configmap "b" deleted/);
    expect(await cli.output(["get", "cm", "-l", "app=web", "-o", "name"])).toBe("");
  });

  test.each(["background", "foreground"])(
    "delete --cascade=%s takes dependents",
    async (cascade) => {
      const { cli } = await openDesk();
      await ownerAndDependent(cli);
      await cli.output(["delete", "cm", "owner", `--cascade=${cascade}`]);
      await cli.output(["wait", "--for=delete", "pod/dependent", "--timeout=20s"]);
      expect((await cli.run(["get", "pod", "dependent"])).code).toBe(1);
    },
  );

  test("delete --cascade=orphan leaves dependents", async () => {
    const { cli } = await openDesk();
    await ownerAndDependent(cli);
    await cli.output(["delete", "cm", "owner", "--cascade=orphan"]);
    const owners = ["get", "pod", "dependent", "-o", "jsonpath={.metadata.ownerReferences}"];
    expect(await cli.output(owners)).toBe("");
  });

  test("delete --wait=false returns while a finalizer holds the object", async () => {
    const { cli } = await openDesk();
    const held = configMap("a").replace(
      "metadata:\n",
      "metadata:\n  finalizers: [lockstep.dev/test]\n",
    );
    await cli.output(["create", "-f", "-"], { input: held });
    await cli.output(["delete", "cm", "a", "--wait=false"]);
    const late = await cli.run(["delete", "cm", "a", "--timeout=1s"]);
    expect(late.code).toBe(1);
    expect(late.stderr).toContain("timed out waiting for the condition");
    await cli.output([
      "patch",
      "cm",
      "a",
      "--type=merge",
      "-p",
      '{"metadata":{"finalizers":null}}',
    ]);
    expect((await cli.run(["get", "cm", "a"])).code).toBe(1);
  });

  test("delete --force --grace-period=0 removes a pod from its node at once", async () => {
    const { cli } = await openDesk();
    const placed = pod("a").replace("spec:\n", "spec:\n  nodeName: some-node\n");
    await cli.output(["create", "-f", "-"], { input: placed });
    await cli.output(["delete", "pod", "a", "--force", "--grace-period=0"]);
    expect((await cli.run(["get", "pod", "a"])).code).toBe(1);
  });

  test("delete --all empties a namespace of one kind", async () => {
    const { cli } = await openDesk();
    for (const name of ["a", "b"]) await cli.output(["create", "-f", "-"], { input: pod(name) });
    const deleted = await cli.output(["delete", "pods", "--all"]);
    expect(deleted.match(/deleted/g)).toHaveLength(2);
  });

  test("delete of a namespace takes everything in it", async () => {
    const { cli, ns } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: configMap("a") });
    expect(await cli.output(["delete", "namespace", ns])).toContain(`namespace "${ns}" deleted`);
    expect((await cli.run(["get", "cm", "a"])).stderr).toContain("(NotFound)");
  });
}
