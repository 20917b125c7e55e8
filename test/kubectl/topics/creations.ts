/** kubectl commands that make an object from flags: they send it as protobuf. */
import { expect, test } from "vitest";
import type { OpenDesk } from "../suite.ts";
import { workload } from "../yaml.ts";

interface Creation {
  readonly args: readonly string[];
  /** What is looked at afterwards, and what must be there. */
  readonly look: readonly string[];
  readonly want: string;
}

const cases: Readonly<Record<string, Creation>> = {
  "a config map": {
    args: ["create", "configmap", "a", "--from-literal=k=1", "--from-literal=l=two words"],
    look: ["configmap/a", "{.data}"],
    want: '{"k":"1","l":"two words"}',
  },
  "a secret": {
    args: ["create", "secret", "generic", "a", "--from-literal=k=hidden"],
    look: ["secret/a", "{.type} {.data.k}"],
    want: "Opaque aGlkZGVu",
  },
  "a service account": {
    args: ["create", "serviceaccount", "a"],
    look: ["serviceaccount/a", "{.metadata.name}"],
    want: "a",
  },
  "a service": {
    args: ["create", "service", "clusterip", "a", "--tcp=80:8080"],
    look: ["service/a", "{.spec.ports[0].port} {.spec.ports[0].targetPort} {.spec.selector}"],
    want: '80 8080 {"app":"a"}',
  },
  "a deployment": {
    args: ["create", "deployment", "a", "--image=nginx:1", "--replicas=3", "--port=80"],
    look: [
      "deployment/a",
      "{.spec.replicas} {.spec.template.spec.containers[0]['image','ports']} {.spec.strategy.rollingUpdate}",
    ],
    want:
      '3 nginx:1 [{"containerPort":80,"protocol":"TCP"}] ' +
      '{"maxSurge":"25%","maxUnavailable":"25%"}',
  },
  "a disruption budget": {
    args: ["create", "poddisruptionbudget", "a", "--selector=app=web", "--min-available=50%"],
    look: ["pdb/a", "{.spec.minAvailable} {.spec.selector.matchLabels}"],
    want: '50% {"app":"web"}',
  },
  "a role": {
    args: ["create", "role", "a", "--verb=get,list", "--resource=pods,statefulsets.apps"],
    look: ["role/a", "{.rules[*]['apiGroups','resources']} {.rules[0].verbs}"],
    want: '[""] ["apps"] ["pods"] ["statefulsets"] ["get","list"]',
  },
};

export function creations(openDesk: OpenDesk): void {
  test.each(Object.entries(cases))("create %s", async (_what, { args, look, want }) => {
    const { cli } = await openDesk();
    expect(await cli.output(args)).toMatch(/ created\n$/);
    const [object = "", fields = ""] = look;
    expect(await cli.output(["get", object, `-o=jsonpath=${fields}`])).toBe(want);
  });

  test("create a namespace", async () => {
    const { cli, ns } = await openDesk();
    expect(await cli.output(["create", "namespace", `${ns}-too`])).toBe(
      `namespace/${ns}-too created\n`,
    );
    const phase = await cli.output(["get", "ns", `${ns}-too`, "-o=jsonpath={.status.phase}"]);
    expect(phase).toBe("Active");
  });

  test("a refusal of what was sent as protobuf names the field", async () => {
    const { cli } = await openDesk();
    const refused = await cli.run(["create", "configmap", "Not_A_Name"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('metadata.name: Invalid value: "Not_A_Name"');
  });

  test.each(["StatefulSet", "Deployment"])("autoscale a %s", async (kind) => {
    const { cli } = await openDesk();
    await cli.output(["create", "-f", "-"], { input: workload(kind, "web") });
    const scaled = await cli.output(["autoscale", kind, "web", "--min=2", "--max=6"]);
    expect(scaled).toBe("horizontalpodautoscaler.autoscaling/web autoscaled\n");
    const spec = "-o=jsonpath={.spec.scaleTargetRef.kind} {.spec.minReplicas} {.spec.maxReplicas}";
    expect(await cli.output(["get", "hpa", "web", spec])).toBe(`${kind} 2 6`);
    const again = await cli.run(["autoscale", kind, "web", "--min=2", "--max=6"]);
    expect(again.stderr).toContain('"web" already exists');
  });
}
