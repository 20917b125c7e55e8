/** Whether a revision that was recorded without defaults is the template of a set. Pure. */
import { isSameJson } from "../../api/same-json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What the API server fills into a pod template, by field. Each name has one meaning wherever a template has it. */
const defaults: Fields = {
  creationTimestamp: null,
  metadata: {},
  dnsPolicy: "ClusterFirst",
  restartPolicy: "Always",
  schedulerName: "default-scheduler",
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  resources: {},
  protocol: "TCP",
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
  path: "/",
  scheme: "HTTP",
  service: "",
  apiVersion: "v1",
  divisor: "0",
  defaultMode: 420,
  type: "",
  emptyDir: {},
  expirationSeconds: 3600,
};

/** Alike but for defaults that only `full`, which the server has completed, spells out. */
export function isSameButDefaults(sparse: unknown, full: unknown): boolean {
  if (Array.isArray(sparse) && Array.isArray(full)) {
    return (
      sparse.length === full.length &&
      sparse.every((item, index) => isSameButDefaults(item, full[index]))
    );
  }
  if (!isFields(sparse) || !isFields(full)) return isSameJson(sparse, full);
  const keys = new Set([...Object.keys(sparse), ...Object.keys(full)]);
  return [...keys].every((key) =>
    isBlank(sparse[key])
      ? isBlank(full[key]) || isSameJson(full[key], defaultOf(key, full))
      : isSameButDefaults(sparse[key], full[key]),
  );
}

/** Two defaults depend on the fields beside them. */
function defaultOf(key: string, { image, reference, serviceAccountName }: Fields): unknown {
  if (key === "serviceAccount") return serviceAccountName;
  if (key !== "imagePullPolicy" && key !== "pullPolicy") return defaults[key];
  const name = typeof image === "string" ? image : typeof reference === "string" ? reference : "";
  const tag = /:([^:/@]+)$/.exec(name.split("@")[0] ?? "")?.[1];
  const isMoving = !name.includes("@") && (tag === undefined || tag === "latest");
  return isMoving ? "Always" : "IfNotPresent";
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === "";
