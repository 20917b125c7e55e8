/** The manifests that the kubectl tests apply. */

export const configMap = (name: string, value = "1"): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  labels: {app: web}
data:
  k: "${value}"
`;

export const pod = (name: string, image = "nginx:1"): string => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: {app: web}
spec:
  containers:
  - name: main
    image: ${image}
`;

export const workload = (kind: string, name: string, replicas = 2): string => `apiVersion: apps/v1
kind: ${kind}
metadata:
  name: ${name}
spec:
  replicas: ${replicas}
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: main
        image: nginx:1
      - name: side
        image: side:1
`;

/** A definition with a rule, its group named after the test's namespace. */
export const definition = (ns: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.${ns}.lockstep.dev
spec:
  group: ${ns}.lockstep.dev
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}
    additionalPrinterColumns:
    - {name: Count, type: integer, jsonPath: .spec.count}
    schema:
      openAPIV3Schema:
        type: object
        description: A widget.
        properties:
          spec:
            type: object
            properties:
              count:
                type: integer
                description: How many there are.
                x-kubernetes-validations:
                - rule: self < 10
                  message: at most nine
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
`;

export const widget = (
  ns: string,
  name: string,
  count: number,
): string => `apiVersion: ${ns}.lockstep.dev/v1
kind: Widget
metadata:
  name: ${name}
spec:
  count: ${count}
`;
