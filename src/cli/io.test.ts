import { expect, test } from "vitest";
import { asTyped, invocationOf } from "./io.ts";

const cases: Record<string, { program: string; npm?: string; want: string }> = {
  installed: { program: "/usr/local/bin/lockstep", want: "lockstep" },
  "from a clone, with npx": {
    program: "/clone/bin/lockstep.mjs",
    npm: "exec",
    want: "npx lockstep",
  },
  "from a clone, with npm run": {
    program: "bin/lockstep.mjs",
    npm: "run-script",
    want: "npx lockstep",
  },
  "from a clone, with node": { program: "/clone/bin/lockstep.mjs", want: "npx lockstep" },
  "in the image": { program: "/app/lockstep.mjs", want: "lockstep" },
  "as a plugin of kubectl": { program: "/opt/bin/kubectl-lockstep", want: "kubectl lockstep" },
};

test.each(Object.entries(cases))("what to type, %s", (_name, { program, npm, want }) => {
  const environment = npm === undefined ? {} : { npm_command: npm };
  const invocation = invocationOf(program, environment);
  expect(asTyped("lockstep undo sts/web", { invocation })).toBe(`${want} undo sts/web`);
  expect(asTyped("nothing moves until `lockstep resume sts/web`", { invocation })).toBe(
    `nothing moves until \`${want} resume sts/web\``,
  );
  expect(asTyped("install it: lockstep crds | kubectl apply -f -", { invocation })).toBe(
    `install it: ${want} crds | kubectl apply -f -`,
  );
  expect(asTyped("kubectl edit sts/lockstep", { invocation })).toBe("kubectl edit sts/lockstep");
});

const flags = { lockstep: " --context prod", kubectl: " --context prod" };
const typed: Record<string, string> = {
  "lockstep undo sts/web": "lockstep undo sts/web --context prod",
  "kubectl edit sts/web": "kubectl edit sts/web --context prod",
  "see `lockstep history sts/web` first": "see `lockstep history sts/web --context prod` first",
  "install it: lockstep crds | kubectl apply -f -":
    "install it: lockstep crds | kubectl apply -f - --context prod",
  "allow it: kubectl create role a && kubectl create rolebinding a":
    "allow it: kubectl create role a --context prod && kubectl create rolebinding a --context prod",
  "kubernetes is not kubectl": "kubernetes is not kubectl",
};

test.each(Object.entries(typed))("%s reaches the cluster that was named", (given, want) => {
  expect(asTyped(given, { clusterFlags: flags })).toBe(want);
});
