/** Pods and workloads as a real server completes them. */
import type { Json } from "../json.ts";

/** The defaults of every container. */
const containerDefaults = {
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "Always",
};

const mainContainer = { name: "main", image: "nginx", resources: {}, ...containerDefaults };

/** The defaults of every pod, also in templates. */
const podDefaults = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler",
};

/** What admission adds to pods, but not to templates. */
const admitted = {
  tolerations: [
    {
      key: "node.kubernetes.io/not-ready",
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    },
    {
      key: "node.kubernetes.io/unreachable",
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 300,
    },
  ],
  priority: 0,
  enableServiceLinks: true,
  preemptionPolicy: "PreemptLowerPriority",
};

const webPods = {
  selector: { matchLabels: { app: "web" } },
  template: {
    metadata: { labels: { app: "web" } },
    spec: { containers: [mainContainer], ...podDefaults },
  },
};

export const workloadDefaults: Readonly<Record<string, Json>> = {
  "the smallest pod": {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      generation: 1,
    },
    spec: {
      containers: [mainContainer],
      ...podDefaults,
      ...admitted,
    },
    status: {
      phase: "Pending",
      qosClass: "BestEffort",
    },
  },
  "a busy pod": {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      generation: 1,
    },
    spec: {
      volumes: [
        {
          name: "a",
          configMap: {
            name: "a",
            defaultMode: 420,
          },
        },
        {
          name: "b",
          emptyDir: {},
        },
        {
          name: "c",
          secret: {
            secretName: "c",
            defaultMode: 420,
          },
        },
        {
          name: "d",
          hostPath: {
            path: "/d",
            type: "",
          },
        },
      ],
      initContainers: [
        {
          name: "init",
          image: "busybox",
          resources: {},
          ...containerDefaults,
        },
      ],
      containers: [
        {
          name: "main",
          image: "nginx:1.27",
          ports: [
            {
              containerPort: 80,
              protocol: "TCP",
            },
          ],
          env: [
            {
              name: "POD",
              valueFrom: {
                fieldRef: {
                  apiVersion: "v1",
                  fieldPath: "metadata.name",
                },
              },
            },
          ],
          resources: {
            limits: {
              cpu: "1500m",
              memory: "1Gi",
              "nvidia.com/gpu": "1",
            },
            requests: {
              cpu: "1500m",
              memory: "1Gi",
              "nvidia.com/gpu": "1",
            },
          },
          livenessProbe: {
            exec: {
              command: ["true"],
            },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          readinessProbe: {
            httpGet: {
              path: "/",
              port: 80,
              scheme: "HTTP",
            },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
          ...containerDefaults,
          imagePullPolicy: "IfNotPresent",
        },
      ],
      ...podDefaults,
      ...admitted,
    },
    status: {
      phase: "Pending",
      qosClass: "Burstable",
    },
  },
  "a pod with equal requests and limits": {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      generation: 1,
    },
    spec: {
      containers: [
        {
          name: "main",
          image: "nginx@sha256:abc",
          resources: {
            limits: {
              cpu: "1",
              memory: "1Gi",
            },
            requests: {
              cpu: "1",
              memory: "1Gi",
            },
          },
          ...containerDefaults,
          imagePullPolicy: "IfNotPresent",
        },
      ],
      ...podDefaults,
      ...admitted,
    },
    status: {
      phase: "Pending",
      qosClass: "Guaranteed",
    },
  },
  "a stateful set": {
    kind: "StatefulSet",
    apiVersion: "apps/v1",
    metadata: {
      generation: 1,
    },
    spec: {
      replicas: 1,
      ...webPods,
      serviceName: "",
      podManagementPolicy: "OrderedReady",
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: {
          partition: 0,
          maxUnavailable: 1,
        },
      },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: "Retain",
        whenScaled: "Retain",
      },
    },
    status: {
      replicas: 0,
      availableReplicas: 0,
    },
  },
  "a stateful set with claims": {
    kind: "StatefulSet",
    apiVersion: "apps/v1",
    metadata: {
      generation: 1,
    },
    spec: {
      replicas: 1,
      ...webPods,
      volumeClaimTemplates: [
        {
          kind: "PersistentVolumeClaim",
          apiVersion: "v1",
          metadata: {
            name: "data",
          },
          spec: {
            accessModes: ["ReadWriteOnce"],
            resources: {
              requests: {
                storage: "1Gi",
              },
            },
            volumeMode: "Filesystem",
          },
          status: {
            phase: "Pending",
          },
        },
      ],
      serviceName: "web",
      podManagementPolicy: "OrderedReady",
      updateStrategy: {
        type: "RollingUpdate",
        rollingUpdate: {
          partition: 0,
          maxUnavailable: "25%",
        },
      },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: "Retain",
        whenScaled: "Retain",
      },
    },
    status: {
      replicas: 0,
      availableReplicas: 0,
    },
  },
  "a deployment": {
    kind: "Deployment",
    apiVersion: "apps/v1",
    metadata: {
      generation: 1,
    },
    spec: {
      replicas: 1,
      ...webPods,
      strategy: {
        type: "RollingUpdate",
        rollingUpdate: {
          maxUnavailable: "25%",
          maxSurge: "25%",
        },
      },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
    status: {},
  },
  "a replica set": {
    kind: "ReplicaSet",
    apiVersion: "apps/v1",
    metadata: {
      generation: 1,
    },
    spec: {
      replicas: 1,
      ...webPods,
    },
    status: {
      replicas: 0,
    },
  },
  "a controller revision": {
    kind: "ControllerRevision",
    apiVersion: "apps/v1",
    metadata: {},
    data: {
      spec: {
        a: 1,
      },
    },
    revision: 1,
  },
};
