/** Rules on one role, checked by the API server. */
import type { Rule } from "../../definition/custom-kind.ts";

const workload = "self.workload";
const isKind = (apiVersion: string, kind: string): string =>
  `(${workload}.apiVersion == '${apiVersion}' && ${workload}.kind == '${kind}')`;

const supported = [
  isKind("apps/v1", "StatefulSet"),
  isKind("apps/v1", "Deployment"),
  isKind("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"),
  isKind("v1", "Pod"),
].join(" || ");

export const roleRules: readonly Rule[] = [
  {
    rule: supported,
    message:
      "workload is not supported: use apps/v1 StatefulSet, apps/v1 Deployment, leaderworkerset.x-k8s.io/v1 " +
      "LeaderWorkerSet, or v1 Pod",
    fieldPath: ".workload",
  },
  {
    rule: "has(self.template) != has(self.templateRef)",
    message: "template and templateRef: set exactly one of them",
  },
  {
    rule: "!has(self.templatePatch) || has(self.templateRef)",
    message:
      "templatePatch changes what templateRef names, and that is not set: set templateRef, or change template",
  },
  {
    rule: `!has(self.leaderWorkerSet) || ${workload}.kind == 'LeaderWorkerSet'`,
    message:
      "leaderWorkerSet is set under another workload: set workload.kind LeaderWorkerSet with its apiVersion, " +
      "or remove it",
  },
  {
    rule: "!has(self.dependencies) || !(self.name in self.dependencies)",
    message: "dependencies names the role itself: remove it",
  },
];
