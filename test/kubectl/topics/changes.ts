/** kubectl commands that change one thing: patch, label, annotate, scale, set image, wait, rollout. */
import { expect, test } from "vitest";
import type { OpenDesk } from "../suite.ts";
import { configMap, pod, workload } from "../yaml.ts";

export function changes(openDesk: OpenDesk): void {
  const patches: Readonly<Record<string, readonly [patch: string, want: string]>> = {
    strategic: [
      '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:2"}]}}}}',
      "nginx:1 side:2",
    ],
    merge: [
      '{"spec":{"template":{"spec":{"containers":[{"name":"new","image":"new:1"}]}}}}',
      "new:1",
    ],
    json: [
      '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"nginx:9"}]',
      "nginx:9 side:1",
    ],
  };
  test.each(Object.entries(patches))("patch --type=%s", async (type, [patch, want]) => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload("Deployment", "web") });
    const patched = await cli.output(["patch", "deployment", "web", `--type=${type}`, "-p", patch]);
    expect(patched).toBe("deployment.apps/web patched\n");
    const images = "-o=jsonpath={.spec.template.spec.containers[*].image}";
    expect(await cli.output(["get", "deployment", "web", images])).toBe(want);
  });

  test("patch that changes nothing says so", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: configMap("a") });
    expect(await cli.output(["patch", "cm", "a", "-p", '{"data":{"k":"1"}}'])).toBe(
      "configmap/a patched (no change)\n",
    );
  });

  test("patch --subresource=status", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: pod("a") });
    const patch = '{"status":{"phase":"Running"}}';
    await cli.output(["patch", "pod", "a", "--subresource=status", "--type=merge", "-p", patch]);
    expect(await cli.output(["get", "pod", "a", "-o", "jsonpath={.status.phase}"])).toBe("Running");
  });

  test("label sets, guards, overwrites and removes", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: configMap("a") });
    expect(await cli.output(["label", "cm", "a", "x=1"])).toBe("configmap/a labeled\n");
    const guarded = await cli.run(["label", "cm", "a", "x=2"]);
    expect(guarded.code).toBe(1);
    expect(guarded.stderr).toContain("'x' already has a value (1), and --overwrite is false");
    await cli.output(["label", "cm", "a", "x=2", "--overwrite"]);
    expect(await cli.output(["get", "cm", "a", "-o", "jsonpath={.metadata.labels.x}"])).toBe("2");
    expect(await cli.output(["label", "cm", "a", "x-"])).toBe("configmap/a unlabeled\n");
    const wrong = await cli.run(["label", "cm", "a", "y=a b"]);
    expect(wrong.code).toBe(1);
  });

  test("annotate sets and removes", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: configMap("a") });
    expect(await cli.output(["annotate", "cm", "a", "note=some words"])).toBe(
      "configmap/a annotated\n",
    );
    const note = ["get", "cm", "a", "-o", "jsonpath={.metadata.annotations.note}"];
    expect(await cli.output(note)).toBe("some words");
    await cli.output(["annotate", "cm", "a", "note-"]);
    expect(await cli.output(note)).toBe("");
  });

  test.each(["StatefulSet", "Deployment", "ReplicaSet"])("scale a %s", async (kind) => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload(kind, "web") });
    const scaled = await cli.output(["scale", kind, "web", "--replicas=5"]);
    expect(scaled).toBe(`${kind.toLowerCase()}.apps/web scaled\n`);
    expect(await cli.output(["get", kind, "web", "-o", "jsonpath={.spec.replicas}"])).toBe("5");
    const guarded = await cli.run(["scale", kind, "web", "--replicas=1", "--current-replicas=9"]);
    expect(guarded.code).toBe(1);
    expect(guarded.stderr).toContain("Expected replicas to be 9, was 5");
  });

  test("set image changes one container", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload("StatefulSet", "web") });
    expect(await cli.output(["set", "image", "statefulset/web", "main=nginx:3"])).toBe(
      "statefulset.apps/web image updated\n",
    );
    const images = "-o=jsonpath={.spec.template.spec.containers[*].image}";
    expect(await cli.output(["get", "sts", "web", images])).toBe("nginx:3 side:1");
    const missing = await cli.run(["set", "image", "statefulset/web", "none=nginx:3"]);
    expect(missing.stderr).toContain('error: unable to find container named "none"');
  });

  test("set env and set resources change a template", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload("Deployment", "web") });
    await cli.output(["set", "env", "deployment/web", "-c", "main", "A=1"]);
    await cli.output(["set", "resources", "deployment/web", "-c", "main", "--limits=cpu=1"]);
    const main = "-o=jsonpath={.spec.template.spec.containers[0]['env','resources']}";
    expect(await cli.output(["get", "deployment", "web", main])).toBe(
      '[{"name":"A","value":"1"}] {"limits":{"cpu":"1"}}',
    );
  });

  test("rollout restart marks the template", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload("StatefulSet", "web") });
    expect(await cli.output(["rollout", "restart", "statefulset/web"])).toBe(
      "statefulset.apps/web restarted\n",
    );
    const annotations = "-o=jsonpath={.spec.template.metadata.annotations}";
    expect(await cli.output(["get", "sts", "web", annotations])).toContain(
      "kubectl.kubernetes.io/restartedAt",
    );
  });

  test("rollout pause and resume a deployment", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload("Deployment", "web") });
    expect(await cli.output(["rollout", "pause", "deployment/web"])).toContain("paused");
    expect(await cli.output(["get", "deployment", "web", "-o", "jsonpath={.spec.paused}"])).toBe(
      "true",
    );
    expect(await cli.output(["rollout", "resume", "deployment/web"])).toContain("resumed");
  });

  test("wait sees a condition that becomes true", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: pod("a") });
    const waiting = cli.start(["wait", "--for=condition=Ready", "pod/a", "--timeout=20s"]);
    const patch = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}';
    await cli.output(["patch", "pod", "a", "--subresource=status", "-p", patch]);
    expect(await waiting.until((text) => text.includes("met"))).toBe("pod/a condition met\n");
    await waiting.stop();
  });

  test("wait sees a value, and gives up in time", async () => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: configMap("a", "9") });
    const forValue = ["wait", "--for=jsonpath={.data.k}=9", "cm/a", "--timeout=20s"];
    expect(await cli.output(forValue)).toBe("configmap/a condition met\n");
    const late = await cli.run(["wait", "--for=jsonpath={.data.k}=1", "cm/a", "--timeout=1s"]);
    expect(late.code).toBe(1);
    expect(late.stderr).toContain("timed out waiting for the condition on configmaps/a");
  });
}
