package counters

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// Kind is a kind of anomaly.
type Kind string

// The kinds of anomalies.
const (
	Peak   Kind = "peak"   // the largest value is at least five times the median
	Growth Kind = "growth" // the values increase steadily
)

// Anomaly is something unusual about a row.
type Anomaly struct {
	Kind    Kind    `json:"kind"`    // Peak or Growth
	StartNs int64   `json:"startNs"` // since the trace's sync time: the largest value, or the first one
	Usual   float64 `json:"usual"`   // the median, or the lowest value of the first quarter
	Value   float64 `json:"value"`   // the largest value, or the lowest one of the last quarter
}

// anomalies returns what is unusual about a series.
func anomalies(s *series) []Anomaly {
	list := []Anomaly{}
	if a, ok := peak(s); ok {
		list = append(list, a)
	}
	if a, ok := growth(s); ok {
		list = append(list, a)
	}
	return list
}

// A peak has at least so many values, and is so many times the median.
const (
	peakValues = 10
	peakFactor = 5
)

// peak compares the largest value with the median.
func peak(s *series) (Anomaly, bool) {
	if s.shown < peakValues {
		return Anomaly{}, false
	}
	var sorted []float64
	for _, p := range s.points.list {
		sorted = append(sorted, p.Value)
	}
	slices.Sort(sorted)
	median := sorted[len(sorted)/2]
	return Anomaly{Peak, s.highAt, median, s.high}, median > 0 && s.high >= peakFactor*median
}

// A growth has at least so many points, covers so much time, and is so many times
// the first values. Each quarter has at least a tenth of it.
const (
	growthPoints = 12
	growthTime   = 60_000_000_000 // nanoseconds
	growthFactor = 2
	growthStep   = 0.1
)

// levels are the EventCounters that can grow, because they can also shrink. Others
// count all since the start of the process.
var levels = map[string]bool{
	"working-set": true, "gc-heap-size": true, "gc-committed": true, "gen-2-size": true, "loh-size": true, "poh-size": true,
	"active-timer-count": true, "threadpool-thread-count": true, "threadpool-queue-length": true, "current-requests": true,
	"current-connections": true,
}

// growth compares the lowest values of the quarters.
func growth(s *series) (Anomaly, bool) {
	none, list := Anomaly{}, s.points.list
	switch {
	case s.shows != Value || len(list) < growthPoints || s.end-s.start < growthTime:
		return none, false
	case s.of.Source == counters.EventCounters && !levels[s.of.Name]:
		return none, false
	}
	var lowest [4]float64
	for i := range lowest {
		quarter := list[i*len(list)/4 : (i+1)*len(list)/4]
		lowest[i] = quarter[0].Value
		for _, p := range quarter {
			lowest[i] = min(lowest[i], p.Value)
		}
	}
	grown := lowest[3] - lowest[0]
	if lowest[0] < 0 || grown <= 0 || lowest[3] < growthFactor*lowest[0] {
		return none, false
	}
	for i := range 3 {
		if lowest[i+1]-lowest[i] < growthStep*grown {
			return none, false
		}
	}
	return Anomaly{Growth, s.start, lowest[0], lowest[3]}, true
}
