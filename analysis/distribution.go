package analysis

import (
	"math"
	"slices"
)

// Distribution describes a list of durations in nanoseconds.
type Distribution struct {
	Count   int64 `json:"count"`   // number of durations
	TotalNs int64 `json:"totalNs"` // their sum
	MeanNs  int64 `json:"meanNs"`  // the sum divided by the number
	P50Ns   int64 `json:"p50Ns"`   // the median
	P95Ns   int64 `json:"p95Ns"`   // the percentile 95
	P99Ns   int64 `json:"p99Ns"`   // the percentile 99
	MaxNs   int64 `json:"maxNs"`   // the longest one
}

// NewDistribution describes durations, which it sorts. A percentile is the
// smallest duration that is not shorter than that part of all. It returns nil
// for an empty list.
func NewDistribution(nanos []int64) *Distribution {
	if len(nanos) == 0 {
		return nil
	}
	slices.Sort(nanos)
	d := &Distribution{Count: int64(len(nanos)), MaxNs: nanos[len(nanos)-1]}
	for _, n := range nanos {
		d.TotalNs += n
	}
	d.MeanNs = d.TotalNs / d.Count
	d.P50Ns, d.P95Ns, d.P99Ns = percentile(nanos, 0.5), percentile(nanos, 0.95), percentile(nanos, 0.99)
	return d
}

// percentile is the nearest rank in a sorted list.
func percentile(sorted []int64, part float64) int64 {
	rank := int(math.Ceil(part * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
