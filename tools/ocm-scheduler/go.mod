module lockstep.dev/tools/ocm-scheduler

go 1.25.0

// The controller that bench/placement.ts measures beside ours.
tool open-cluster-management.io/ocm/cmd/placement

require (
	k8s.io/client-go v0.34.3
	k8s.io/klog/v2 v2.130.1
	k8s.io/utils v0.0.0-20250604170112-4c0f3b243397
	open-cluster-management.io/api v1.2.0
	open-cluster-management.io/ocm v1.2.1
)
