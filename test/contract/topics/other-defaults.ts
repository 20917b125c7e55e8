/** The other kinds as a real server completes them. */
import type { Json } from "../json.ts";

export const otherDefaults: Readonly<Record<string, Json>> = {
  "a namespace": {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: {
      labels: {
        "kubernetes.io/metadata.name": "$ns-second",
      },
    },
    spec: {
      finalizers: ["kubernetes"],
    },
    status: {
      phase: "Active",
    },
  },
  "a node": {
    kind: "Node",
    apiVersion: "v1",
    metadata: {},
    spec: {
      taints: [
        {
          key: "node.kubernetes.io/not-ready",
          effect: "NoSchedule",
        },
      ],
    },
    status: {
      daemonEndpoints: {
        kubeletEndpoint: {
          Port: 0,
        },
      },
      nodeInfo: {
        machineID: "",
        systemUUID: "",
        bootID: "",
        kernelVersion: "",
        osImage: "",
        containerRuntimeVersion: "",
        kubeletVersion: "",
        kubeProxyVersion: "",
        operatingSystem: "",
        architecture: "",
      },
    },
  },
  "a service": {
    kind: "Service",
    apiVersion: "v1",
    metadata: {},
    spec: {
      ports: [
        {
          protocol: "TCP",
          port: 80,
          targetPort: 80,
        },
      ],
      selector: {
        app: "web",
      },
      clusterIP: "<address>",
      clusterIPs: ["<address>"],
      type: "ClusterIP",
      sessionAffinity: "None",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
    },
    status: {
      loadBalancer: {},
    },
  },
  "a headless service": {
    kind: "Service",
    apiVersion: "v1",
    metadata: {},
    spec: {
      ports: [
        {
          protocol: "TCP",
          port: 80,
          targetPort: 80,
        },
      ],
      clusterIP: "None",
      clusterIPs: ["None"],
      type: "ClusterIP",
      sessionAffinity: "None",
      ipFamilies: ["IPv4", "IPv6"],
      ipFamilyPolicy: "RequireDualStack",
      internalTrafficPolicy: "Cluster",
    },
    status: {
      loadBalancer: {},
    },
  },
  "an external service": {
    kind: "Service",
    apiVersion: "v1",
    metadata: {},
    spec: {
      type: "ExternalName",
      sessionAffinity: "None",
      externalName: "example.com",
    },
    status: {
      loadBalancer: {},
    },
  },
  "a config map": {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: {},
  },
  "a secret": {
    kind: "Secret",
    apiVersion: "v1",
    metadata: {},
    data: {
      k: "dg==",
    },
    type: "Opaque",
  },
  "a service account": {
    kind: "ServiceAccount",
    apiVersion: "v1",
    metadata: {},
  },
  "a claim": {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    metadata: {
      finalizers: ["kubernetes.io/pvc-protection"],
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
  "an event": {
    kind: "Event",
    apiVersion: "v1",
    metadata: {},
    involvedObject: {
      kind: "Pod",
      namespace: "$ns",
      name: "p",
    },
    reason: "Started",
    message: "it started",
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    type: "Normal",
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  },
  "a disruption budget": {
    kind: "PodDisruptionBudget",
    apiVersion: "policy/v1",
    metadata: {
      generation: 1,
    },
    spec: {
      selector: {
        matchLabels: {
          app: "web",
        },
      },
    },
    status: {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    },
  },
  "an autoscaler": {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v2",
    metadata: {},
    spec: {
      scaleTargetRef: {
        kind: "Deployment",
        name: "web",
        apiVersion: "apps/v1",
      },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        {
          type: "Resource",
          resource: {
            name: "cpu",
            target: {
              type: "Utilization",
              averageUtilization: 80,
            },
          },
        },
      ],
    },
    status: {
      desiredReplicas: 0,
      currentMetrics: null,
    },
  },
  "a lease": {
    kind: "Lease",
    apiVersion: "coordination.k8s.io/v1",
    metadata: {},
    spec: {
      holderIdentity: "me",
    },
  },
  "a role": {
    kind: "Role",
    apiVersion: "rbac.authorization.k8s.io/v1",
    metadata: {},
    rules: [
      {
        verbs: ["get"],
        apiGroups: [""],
        resources: ["pods"],
      },
    ],
  },
  "a role binding": {
    kind: "RoleBinding",
    apiVersion: "rbac.authorization.k8s.io/v1",
    metadata: {},
    subjects: [
      {
        kind: "ServiceAccount",
        name: "default",
        namespace: "$ns",
      },
    ],
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "Role",
      name: "a",
    },
  },
  "a cluster role": {
    kind: "ClusterRole",
    apiVersion: "rbac.authorization.k8s.io/v1",
    metadata: {},
    rules: null,
  },
  "a cluster role binding": {
    kind: "ClusterRoleBinding",
    apiVersion: "rbac.authorization.k8s.io/v1",
    metadata: {},
    subjects: [
      {
        kind: "User",
        apiGroup: "rbac.authorization.k8s.io",
        name: "me",
      },
    ],
    roleRef: {
      apiGroup: "rbac.authorization.k8s.io",
      kind: "ClusterRole",
      name: "view",
    },
  },
  "a priority class": {
    kind: "PriorityClass",
    apiVersion: "scheduling.k8s.io/v1",
    metadata: {
      generation: 1,
    },
    value: 7,
    preemptionPolicy: "PreemptLowerPriority",
  },
  "a claim for devices": {
    kind: "ResourceClaim",
    apiVersion: "resource.k8s.io/v1",
    metadata: {},
    spec: {
      devices: {
        requests: [
          {
            name: "gpu",
            exactly: { deviceClassName: "gpu.example.com", allocationMode: "ExactCount", count: 1 },
          },
        ],
      },
    },
    status: {},
  },
  "a template of claims": {
    kind: "ResourceClaimTemplate",
    apiVersion: "resource.k8s.io/v1",
    metadata: {},
    spec: {
      metadata: {},
      spec: {
        devices: {
          requests: [
            {
              name: "gpu",
              exactly: {
                deviceClassName: "gpu.example.com",
                allocationMode: "ExactCount",
                count: 1,
              },
            },
          ],
        },
      },
    },
  },
};
