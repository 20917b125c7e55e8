/** Condition types and their reasons, and the reasons of events. */

export const conditionTypes = {
  minAvailableBreached: "MinAvailableBreached",
  podCliqueScheduled: "PodCliqueScheduled",
  gangTerminationInProgress: "GangTerminationInProgress",
  topologyLevelsUnavailable: "TopologyLevelsUnavailable",
  schedulerTopologyDrift: "SchedulerTopologyDrift",
  /** True while units are replaced. */
  updateInProgress: "UpdateInProgress",
  /** False with what is wrong where the API server could not refuse a spec. */
  specAccepted: "SpecAccepted",
  /** True where surge that did not become available was given up, with the cause. */
  surgeReleased: "SurgeReleased",
  /** Whether anybody places the gangs of a set as a whole. */
  gangScheduling: "GangScheduling",
  podGangInitialized: "Initialized",
  podGangScheduled: "Scheduled",
  podGangReady: "Ready",
  podGangUnhealthy: "Unhealthy",
  podGangDisruptionTarget: "DisruptionTarget",
} as const;

export const conditionReasons = {
  updateInProgress: "UpdateInProgress",
  sufficientScheduledPods: "SufficientScheduledPods",
  insufficientScheduledPods: "InsufficientScheduledPods",
  scheduledBelowMinAvailable: "ScheduledReplicasBelowMinAvailable",
  scaledBelowMinAvailable: "ScaledBelowMinAvailable",
  sufficientReadyPods: "SufficientReadyPods",
  insufficientReadyPods: "InsufficientReadyPods",
  sufficientGroupReplicas: "SufficientAvailablePodCliqueScalingGroupReplicas",
  insufficientGroupReplicas: "InsufficientAvailablePodCliqueScalingGroupReplicas",
  gangTerminationActive: "GangTerminationActive",
  podGangPodsPending: "PodGangPodsCreationPending",
  podGangPodsCreated: "PodGangPodsCreated",
  progressDeadlineExceeded: "ProgressDeadlineExceeded",
  topologyNotFound: "ClusterTopologyNotFound",
  topologyLevelsUnavailable: "ClusterTopologyLevelsUnavailable",
  topologyLevelsAvailable: "AllClusterTopologyLevelsAvailable",
  topologyNameMissing: "TopologyNameMissing",
} as const;

export const eventReasons = {
  podCreated: "PodCreateSuccessful",
  podCreateFailed: "PodCreateFailed",
  podDeleted: "PodDeleteSuccessful",
  podDeleteFailed: "PodDeleteFailed",
  podCliqueCreated: "PodCliqueCreateSuccessful",
  podCliqueCreateFailed: "PodCliqueCreateFailed",
  podCliqueDeleted: "PodCliqueDeleteSuccessful",
  podCliqueDeleteFailed: "PodCliqueDeleteFailed",
  scalingGroupCreated: "PodCliqueScalingGroupCreateSuccessful",
  scalingGroupReplicaDeleted: "PodCliqueScalingGroupReplicaDeleteSuccessful",
  scalingGroupReplicaDeleteFailed: "PodCliqueScalingGroupReplicaDeleteFailed",
  podGangCreatedOrUpdated: "PodGangCreateOrUpdateSuccessful",
  podGangCreateOrUpdateFailed: "PodGangCreateOrUpdateFailed",
  podGangDeleted: "PodGangDeleteSuccessful",
  podGangDeleteFailed: "PodGangDeleteFailed",
  setReplicaDeleted: "PodCliqueSetReplicaDeleteSuccessful",
  setReplicaDeleteFailed: "PodCliqueSetReplicaDeleteFailed",
  updatingReplica: "UpdatingReplica",
  adopted: "OrphansAdopted",
  nameTaken: "NameTaken",
  allScheduledReplicasLost: "AllScheduledReplicasLost",
} as const;
