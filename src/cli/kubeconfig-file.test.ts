import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadLocalKubeconfig } from "../kube/local-kubeconfig.ts";
import { requireWritable, writeExclusively, writeKubeconfig } from "./kubeconfig-file.ts";

const folder = mkdtempSync(join(tmpdir(), "lockstep-kubeconfig-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

const address = { url: "http://127.0.0.1:7443", token: "secret" };

test("the kubeconfig is readable by its owner only, and nothing else is left beside it", () => {
  const file = join(folder, "kubeconfig");
  requireWritable(file);
  writeKubeconfig(file, address);
  writeKubeconfig(file, address);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["kubeconfig"]);
  expect(loadLocalKubeconfig(file).users.get("lockstep")).toEqual({ token: "secret" });
});

test("a draft is never written into something that is there already", () => {
  const victim = join(folder, "victim");
  writeFileSync(victim, "mine");
  const planted = join(folder, "planted");
  symlinkSync(victim, planted);
  expect(() => writeExclusively(planted, "token")).toThrow(/EEXIST/);
  expect(() => writeExclusively(victim, "token")).toThrow(/EEXIST/);
  expect(readFileSync(victim, "utf8")).toBe("mine");
});
