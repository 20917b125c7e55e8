// Answers what Open Cluster Management's own scheduler selects: one case of test/recorded/placement-cases.ts per line of
// standard input, one answer per line of standard output. scripts/record-placements.ts runs it.
package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
	fakeclock "k8s.io/utils/clock/testing"
	listersv1 "open-cluster-management.io/api/client/cluster/listers/cluster/v1"
	listersv1alpha1 "open-cluster-management.io/api/client/cluster/listers/cluster/v1alpha1"
	listersv1beta1 "open-cluster-management.io/api/client/cluster/listers/cluster/v1beta1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	clusterv1alpha1 "open-cluster-management.io/api/cluster/v1alpha1"
	clusterv1beta1 "open-cluster-management.io/api/cluster/v1beta1"
	"open-cluster-management.io/ocm/pkg/placement/controllers/framework"
	"open-cluster-management.io/ocm/pkg/placement/controllers/metrics"
	"open-cluster-management.io/ocm/pkg/placement/controllers/scheduling"
	"open-cluster-management.io/ocm/pkg/placement/plugins/addon"
	"open-cluster-management.io/ocm/pkg/placement/plugins/tainttoleration"
)

type scheduleCase struct {
	NowMs     int64
	Placement *clusterv1beta1.Placement
	Clusters  []*clusterv1.ManagedCluster
	Decisions []*clusterv1beta1.PlacementDecision
	Scores    []*clusterv1alpha1.AddOnPlacementScore
}

type answer struct {
	Misconfigured bool             `json:"misconfigured"`
	Selected      []string         `json:"selected"`
	Feasible      int              `json:"feasible"`
	Scores        map[string]int64 `json:"scores"`
	Unscheduled   int              `json:"unscheduled"`
}

func indexed[T any](objects []T) cache.Indexer {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, object := range objects {
		if err := indexer.Add(object); err != nil {
			panic(err)
		}
	}
	return indexer
}

func schedule(given scheduleCase) answer {
	now := fakeclock.NewFakeClock(time.UnixMilli(given.NowMs))
	tainttoleration.TolerationClock = now
	addon.AddOnClock = now
	handle := scheduling.NewSchedulerHandler(
		nil,
		listersv1beta1.NewPlacementDecisionLister(indexed(given.Decisions)),
		listersv1alpha1.NewAddOnPlacementScoreLister(indexed(given.Scores)),
		listersv1.NewManagedClusterLister(indexed(given.Clusters)),
		nil,
		metrics.NewScheduleMetrics(clock.RealClock{}),
	)
	result, status := scheduling.NewPluginScheduler(handle).Schedule(context.Background(), given.Placement, given.Clusters)
	selected := []string{}
	for _, cluster := range result.Decisions() {
		selected = append(selected, cluster.Name)
	}
	filtered := result.FilterResults()
	feasible := 0
	if len(filtered) > 0 {
		feasible = len(filtered[len(filtered)-1].FilteredClusters)
	}
	return answer{
		Misconfigured: status.Code() == framework.Misconfigured,
		Selected:      selected,
		Feasible:      feasible,
		Scores:        result.PrioritizerScores(),
		Unscheduled:   result.NumOfUnscheduled(),
	}
}

func main() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	cases, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for cases.More() {
		var given scheduleCase
		if err := cases.Decode(&given); err != nil {
			panic(err)
		}
		if err := answers.Encode(schedule(given)); err != nil {
			panic(err)
		}
	}
}
