/** The image is built from what its Dockerfile copies, and is the one that deploy/operator.yaml runs. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const dockerfile = readFileSync("Dockerfile", "utf8");
const manifest = readFileSync("deploy/operator.yaml", "utf8");
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };

const folder = mkdtempSync(join(tmpdir(), "lockstep-image-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("the manifest runs the image and the user that the Dockerfile makes", () => {
  expect(manifest).toContain(`image: lockstep:${version}`);
  expect(dockerfile).toContain(`docker build -t lockstep:${version} .`);
  const user = /runAsUser: (\d+)/.exec(manifest)?.[1];
  expect(dockerfile).toContain(`USER ${user}:${user}\n`);
});

test("no dependency runs a script while it is installed", () => {
  expect(dockerfile).toMatch(/npm ci --ignore-scripts/);
  expect(readFileSync("scripts/install.mjs", "utf8")).toContain('"--ignore-scripts"');
});

test("what it copies is all that its bundle needs, and the bundle needs nothing beside it", () => {
  const [build = ""] = dockerfile.split(/^FROM .*$/m).slice(1);
  const copied = [...build.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, names = ""]) =>
    names.split(" "),
  );
  for (const name of copied) cpSync(name, join(folder, "build", name), { recursive: true });
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "build", "node_modules"));
  const [, script = ""] = /^RUN node --input-type=module -e '(.+)'$/m.exec(build) ?? [];
  const app = join(folder, "app");
  const run = script.replaceAll("/app/", `${app}/`);
  execFileSync(process.execPath, ["--input-type=module", "-e", run], {
    cwd: join(folder, "build"),
  });
  const [, entry = ""] = /^ENTRYPOINT \["node", "\/app\/(.+)"\]$/m.exec(dockerfile) ?? [];
  const help = execFileSync(process.execPath, [join(app, entry), "operator", "--help"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(help).toMatch(/Start as many as you like: one leads, the others wait/);
}, 60_000);
