/** kubectl commands that only read: get, describe, explain, api-resources, events, version. */
import { expect, test } from "vitest";
import type { OpenDesk } from "../suite.ts";
import { configMap, pod, workload } from "../yaml.ts";

/** The words of each printed line. */
const table = (text: string): string[][] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/\s{2,}/));

export function reading(openDesk: OpenDesk): void {
  test("get prints the columns of a kind", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: pod("web") });
    const [header, row] = table(await cli.output(["get", "pods"]));
    expect(header).toEqual(["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
    expect(row!.slice(0, 4)).toEqual(["web", "0/1", "Pending", "0"]);
  });

  test("get -o wide prints more columns", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload("StatefulSet", "web") });
    const [header, row] = table(await cli.output(["get", "sts", "-o", "wide"]));
    expect(header).toEqual(["NAME", "READY", "AGE", "CONTAINERS", "IMAGES"]);
    expect([row![0], row![3], row![4]]).toEqual(["web", "main,side", "nginx:1,side:1"]);
  });

  test("get of nothing says so and succeeds", async () => {
    const { cli, ns } = await openDesk();
    const { code, stderr } = await cli.run(["get", "pods"]);
    expect([code, stderr]).toEqual([0, `No resources found in ${ns} namespace.\n`]);
  });

  test("get of a missing object fails with the server's words", async () => {
    const { cli } = await openDesk();
    const { code, stderr } = await cli.run(["get", "pod", "none"]);
    expect([code, stderr]).toEqual([1, 'Error from server (NotFound): pods "none" not found\n']);
  });

  test("get of an unknown kind fails", async () => {
    const { cli } = await openDesk();
    const { code, stderr } = await cli.run(["get", "things"]);
    expect(code).toBe(1);
    expect(stderr).toBe(`error: the server doesn't have a resource type "things"\n`);
  });

  test("get all takes the kinds of the category", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload("Deployment", "web") });
    await cli.output(["create", "-f", "-"], { input: pod("one") });
    const names = await cli.output(["get", "all", "-o", "name"]);
    expect(names.trim().split("\n").toSorted()).toEqual(["deployment.apps/web", "pod/one"]);
  });

  test("get takes selectors, output formats and sorting", async () => {
    const { cli } = await openDesk();
    for (const name of ["b", "a"])
      await cli.output(["create", "-f", "-"], { input: configMap(name) });
    const path = "-o=jsonpath={.items[*].metadata.name}";
    expect(await cli.output(["get", "cm", "-l", "app=web", path])).toBe("a b");
    expect(await cli.output(["get", "cm", "-l", "app!=web", "-o", "name"])).not.toContain("/a");
    expect(await cli.output(["get", "cm", "--field-selector=metadata.name=b", path])).toBe("b");
    const columns = ["-o", "custom-columns=N:.metadata.name,K:.data.k", "--no-headers"];
    expect(table(await cli.output(["get", "cm", "a", ...columns]))).toEqual([["a", "1"]]);
    const yaml = await cli.output(["get", "cm", "a", "-o", "yaml"]);
    expect(yaml).toContain('apiVersion: v1\ndata:\n  k: "1"\nkind: ConfigMap\n');
    expect(yaml).not.toContain("managedFields");
  });

  test("get --chunk-size reads a list in parts", async () => {
    const { cli } = await openDesk();
    for (const name of ["a", "b", "c"])
      await cli.output(["create", "-f", "-"], { input: configMap(name) });
    const names = await cli.output(["get", "cm", "--chunk-size=1", "-l", "app=web", "-o", "name"]);
    expect(names).toBe("configmap/a\nconfigmap/b\nconfigmap/c\n");
  });

  test("get -w prints what is there and every change after", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: pod("web") });
    const watch = cli.start(["get", "pods", "-w"]);
    await watch.until((text) => text.includes("web"));
    await cli.output(["label", "pod", "web", "x=1"]);
    await cli.output(["create", "-f", "-"], { input: pod("second") });
    const printed = await watch.until((text) => text.includes("second"));
    await watch.stop();
    expect(table(printed).map(([name]) => name)).toEqual(["NAME", "web", "web", "second"]);
  });

  test("get -w --output-watch-events names the events", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: configMap("a") });
    const watch = cli.start(["get", "cm", "-w", "--output-watch-events", "-l", "app=web"]);
    await watch.until((text) => text.includes("ADDED"));
    await cli.output(["delete", "cm", "a"]);
    const printed = await watch.until((text) => text.includes("DELETED"));
    await watch.stop();
    expect(table(printed)[0]!.slice(0, 2)).toEqual(["EVENT", "NAME"]);
  });

  test("describe shows an object and its events", async () => {
    const { cli, ns } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: pod("web") });
    const uid = await cli.output(["get", "pod", "web", "-o", "jsonpath={.metadata.uid}"]);
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "web.1" },
      involvedObject: { apiVersion: "v1", kind: "Pod", name: "web", namespace: ns, uid },
      reason: "FailedScheduling",
      message: "no nodes available",
      type: "Warning",
      source: { component: "scheduler" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      count: 1,
    };
    await cli.output(["create", "-f", "-"], { input: JSON.stringify(event) });
    const text = await cli.output(["describe", "pod", "web"]);
    expect(text).toMatch(/^Name: +web$/m);
    expect(text).toMatch(/^Labels: +app=web$/m);
    expect(text).toMatch(/^ +Image: +nginx:1$/m);
    expect(text).toMatch(/Warning +FailedScheduling .* no nodes available/);
  });

  test.each(["StatefulSet", "Deployment"])("describe shows a %s", async (kind) => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload(kind, "web") });
    const text = await cli.output(["describe", kind, "web"]);
    expect(text).toMatch(/^Replicas: +2 desired/m);
    expect(text).toMatch(/^ +Image: +side:1$/m);
  });

  test("describe of a node, a service, a namespace", async () => {
    const { cli, ns } = await openDesk();
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: ns } };
    await cli.output(["create", "-f", "-"], { input: JSON.stringify(node) });
    expect(await cli.output(["describe", "node", ns])).toContain(`Name:               ${ns}`);
    expect(await cli.output(["describe", "namespace", ns])).toContain("Status:       Active");
    await cli.output(["delete", "node", ns]);
  });

  test("events are listed, newest last", async () => {
    const { cli, ns } = await openDesk();
    const involvedObject = { apiVersion: "v1", kind: "Pod", name: "web", namespace: ns };
    for (const [index, reason] of ["Second", "First"].entries()) {
      const event = {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: `e${index}` },
        involvedObject,
        reason,
        message: "it happened",
        type: "Normal",
        lastTimestamp: `2026-01-01T00:00:0${2 - index}Z`,
      };
      await cli.output(["create", "-f", "-"], { input: JSON.stringify(event) });
    }
    const rows = table(await cli.output(["events"]));
    expect(rows[0]).toEqual(["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]);
    expect(rows.slice(1).map((row) => row[2])).toEqual(["First", "Second"]);
    expect(await cli.output(["events", "--for=pod/web"])).toContain("it happened");
  });

  test("explain knows fields of built-in kinds", async () => {
    const { cli } = await openDesk();
    const text = await cli.output(["explain", "statefulset.spec.updateStrategy.rollingUpdate"]);
    expect(text).toContain("KIND:       StatefulSet");
    expect(text).toContain("partition\t<integer>");
    const missing = await cli.run(["explain", "pod.spec.colour"]);
    expect([missing.code, missing.stderr]).toEqual([1, 'error: field "colour" does not exist\n']);
  });

  test("explain --recursive prints the tree", async () => {
    const { cli } = await openDesk();
    const text = await cli.output(["explain", "pod.spec.containers", "--recursive"]);
    expect(text).toMatch(/^ +image\t<string>$/m);
    expect(text).toMatch(/^ +limits\t<map\[string\]/m);
  });

  test("api-resources lists names, short names and kinds", async () => {
    const { cli } = await openDesk();
    const text = await cli.output(["api-resources", "--no-headers"]);
    expect(text).toMatch(/^statefulsets +sts +apps\/v1 +true +StatefulSet$/m);
    expect(text).toMatch(/^nodes +no +v1 +false +Node$/m);
    expect(text).toMatch(/^events +ev +events.k8s.io\/v1 +true +Event$/m);
    const scoped = await cli.output(["api-resources", "--api-group=apps", "-o", "name"]);
    expect(scoped).toContain("deployments.apps\n");
    expect(await cli.output(["api-versions"])).toContain("\napps/v1\n");
  });

  test("version shows the server's", async () => {
    const { cli } = await openDesk();
    expect(await cli.output(["version"])).toMatch(/^Server Version: v1\.\d+/m);
    expect(await cli.output(["get", "--raw", "/readyz"])).toBe("ok");
  });
}
