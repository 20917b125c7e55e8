/** kubectl with Deployments that somebody controls: rollout status, history, undo, restart, and scale. */
import { expect, test } from "vitest";
import type { Desk, OpenDesk } from "../suite.ts";

const manifest = (image: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: main
        image: ${image}
`;

async function rolledOut({ cli }: Desk): Promise<void> {
  const text = await cli.output(["rollout", "status", "deployment/web", "--timeout=50s"]);
  expect(text).toMatch(/deployment "web" successfully rolled out\n$/);
}

async function started(openDesk: OpenDesk, image = "app:v1"): Promise<Desk> {
  const desk = await openDesk();
  await desk.cli.output(["create", "-f", "-"], { input: manifest(image) });
  await rolledOut(desk);
  return desk;
}

/** `5 app:v2`: the sets that have pods, and their image. */
const runningOf = async ({ cli }: Desk): Promise<string> => {
  const each = "{.spec.replicas} {.spec.template.spec.containers[0].image};";
  const path = `-o=jsonpath={range .items[?(@.spec.replicas>0)]}${each}{end}`;
  return cli.output(["get", "rs", path]);
};

const readyOf = ({ cli }: Desk): Promise<string> =>
  cli.output(["get", "deployment", "web", "-o=jsonpath={.status.readyReplicas}"]);

export function rollouts(openDesk: OpenDesk): void {
  test("rollout status waits until a Deployment is rolled out", async () => {
    const desk = await started(openDesk);
    expect(await readyOf(desk)).toBe("3");
    const [header, line = ""] = (await desk.cli.output(["get", "deployment", "web"])).split("\n");
    expect(header).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE$/);
    expect(line).toMatch(/^web +3\/3 +3 +3 /);
    const sets = await desk.cli.output(["get", "rs", "--no-headers"]);
    expect(sets).toMatch(/^web-[a-z0-9]+ +3 +3 +3 /);
    const conditions = "-o=jsonpath={range .status.conditions[*]}{.type}={.status} {.reason};{end}";
    const found = await desk.cli.output(["get", "deployment", "web", conditions]);
    expect(found.split(";").toSorted().join(";")).toBe(
      ";Available=True MinimumReplicasAvailable;Progressing=True NewReplicaSetAvailable",
    );
  });

  test("rollout undo goes back to the template before", async () => {
    const desk = await started(openDesk);
    await desk.cli.output(["set", "image", "deployment/web", "main=app:v2"]);
    await rolledOut(desk);
    expect(await runningOf(desk)).toBe("3 app:v2;");
    const history = await desk.cli.output(["rollout", "history", "deployment/web"]);
    expect(history).toMatch(
      /^deployment.apps\/web \nREVISION +CHANGE-CAUSE\n1 +<none>\n2 +<none>\n/,
    );
    const undone = await desk.cli.output(["rollout", "undo", "deployment/web"]);
    expect(undone).toBe("deployment.apps/web rolled back\n");
    await rolledOut(desk);
    expect(await runningOf(desk)).toBe("3 app:v1;");
    expect(await desk.cli.output(["rollout", "history", "deployment/web"])).toMatch(
      /\n2 +<none>\n3 +<none>\n/,
    );
    const one = ["rollout", "undo", "deployment/web", "--to-revision=1"];
    expect((await desk.cli.run(one)).stderr).toContain("unable to find specified revision 1");
  });

  test("scale, restart and pause are followed", async () => {
    const desk = await started(openDesk);
    await desk.cli.output(["scale", "deployment", "web", "--replicas=5"]);
    await rolledOut(desk);
    expect(await readyOf(desk)).toBe("5");
    await desk.cli.output(["rollout", "restart", "deployment/web"]);
    await rolledOut(desk);
    await desk.cli.output(["rollout", "pause", "deployment/web"]);
    await desk.cli.output(["set", "image", "deployment/web", "main=app:v2"]);
    await desk.cli.output([
      "wait",
      "deployment/web",
      "--timeout=20s",
      "--for=jsonpath={.status.conditions[?(@.type=='Progressing')].reason}=DeploymentPaused",
    ]);
    expect(await runningOf(desk)).toBe("5 app:v1;");
    await desk.cli.output(["rollout", "resume", "deployment/web"]);
    await rolledOut(desk);
    expect(await runningOf(desk)).toBe("5 app:v2;");
  });

  test("a rollout past its deadline ends rollout status with an error", async () => {
    const desk = await started(openDesk);
    const patch =
      '{"spec":{"progressDeadlineSeconds":2,"template":{"spec":{"nodeSelector":{"no":"such"}}}}}';
    await desk.cli.output(["patch", "deployment", "web", "-p", patch]);
    const { code, stderr } = await desk.cli.run([
      "rollout",
      "status",
      "deployment/web",
      "--timeout=50s",
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('error: deployment "web" exceeded its progress deadline');
    await desk.cli.output(["rollout", "undo", "deployment/web"]);
    await rolledOut(desk);
  });
}
