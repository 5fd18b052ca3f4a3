package gc

import (
	"github.com/nettrace-go/nettrace/analysis"
)

// Totals are the totals of one runtime. Unknown Numbers are not in JSON.
type Totals struct {
	Count                 int64    `json:"count"`                 // collections in the rows
	CountByGeneration     [3]int64 `json:"countByGeneration"`     // generations 0, 1 and 2
	Background            int64    `json:"background"`            // of the type Background
	BackgroundRanBlocking int64    `json:"backgroundRanBlocking"` // of the type BackgroundBlocking
	Foreground            int64    `json:"foreground"`            // of the type Foreground
	Induced               int64    `json:"induced"`               // that the program asked for
	Unfinished            int64    `json:"unfinished"`            // whose end is not in the trace
	BeganBefore           int64    `json:"beganBefore"`           // collections whose start is not in the trace: no rows
	NumbersMissing        int64    `json:"numbersMissing"`        // between the first and the last collection
	HistoriesUnmatched    int64    `json:"historiesUnmatched"`    // heap histories without a collection
	RowsLeftOut           int64    `json:"rowsLeftOut"`           // because of the limit; the totals do not count them

	ObservedNs    int64                  `json:"observedNs"` // length of the recording
	*Paused                              // nil: the trace has no events about suspensions
	Pauses        *analysis.Distribution `json:"pauses,omitempty"`         // nil for none
	MaxSuspension analysis.Number        `json:"maxSuspensionNs,omitzero"` // longest time until all threads were stopped, in nanoseconds

	AllocatedBytes          analysis.Number `json:"allocatedBytes,omitzero"`          // of the recording, or of the rows if it is estimated
	AllocatedEstimated      bool            `json:"allocatedEstimated"`               // AllocatedBytes is computed from heap histories, not from AllocationTick
	AllocatedUnknown        int64           `json:"allocatedUnknown,omitzero"`        // collections after the first one without an estimate, which AllocatedBytes lacks
	AllocatedBytesPerSecond analysis.Number `json:"allocatedBytesPerSecond,omitzero"` // AllocatedBytes by the time of these
	PromotedBytes           analysis.Number `json:"promotedBytes,omitzero"`           // sum of those of the rows
	PeakHeapBytes           analysis.Number `json:"peakHeapBytes,omitzero"`           // the largest heap before or after a collection
	Heaps                   analysis.Number `json:"heaps,omitzero"`                   // the largest number of heaps; above 1 in server GC

	MaxPinnedObjects analysis.Number `json:"maxPinnedObjects,omitzero"` // the largest number of a collection
	PinnedTypes      []PinnedType    `json:"pinnedTypes"`               // if the trace has PinObjectAtGCTime events
	PinnedLeftOut    int64           `json:"pinnedLeftOut"`             // events whose type is left out because of the limits
}

// Paused is what the suspensions of a runtime add up to.
type Paused struct {
	PauseNs                 int64   `json:"pauseNs"`                 // union of the pauses: no instant counts twice
	PausePercent            float64 `json:"pausePercent"`            // PauseNs of ObservedNs
	RuntimePauseNs          int64   `json:"runtimePauseNs"`          // sum of the pauses without waking threads, as GC.GetTotalPauseDuration counts
	PausesWithoutCollection int64   `json:"pausesWithoutCollection"` // rows of the type NoCollection
	OtherSuspensions        int64   `json:"otherSuspensions"`        // not by the collector, such as those of the sample profiler
	OtherSuspensionsNs      int64   `json:"otherSuspensionsNs"`      // sum of their lengths
}

// totals sums up the rows of a runtime.
func (r *runtime) totals(rows []Row) *Totals {
	t := &Totals{
		BeganBefore: r.beganBefore, HistoriesUnmatched: r.orphans, RowsLeftOut: r.leftOut,
		PinnedTypes: r.pins.list(), PinnedLeftOut: r.pins.leftOut,
	}
	if len(r.pauses) > 0 || r.others > 0 {
		t.Paused = &Paused{OtherSuspensions: r.others, OtherSuspensionsNs: r.othersNs}
	}
	for i := range rows {
		t.count(&rows[i])
	}
	for _, c := range r.rows {
		if c.history.global {
			t.Heaps = highest(t.Heaps, analysis.Known(int64(c.history.heaps)))
		}
	}
	t.NumbersMissing = r.numbersMissing()
	from, to := r.trace.Bounds(r.key.process)
	t.ObservedNs = r.trace.Between(from, to)
	r.sumPauses(t)
	r.sumAllocations(t, rows)
	return t
}

// count counts a row.
func (t *Totals) count(row *Row) {
	if row.Type == NoCollection { // there is a pause
		t.PausesWithoutCollection++
		return
	}
	t.Count++
	if g := row.Generation.Or(-1); g >= 0 && g < int64(len(t.CountByGeneration)) {
		t.CountByGeneration[g]++
	}
	for _, c := range []struct {
		is    bool
		count *int64
	}{
		{row.Type == Background, &t.Background}, {row.Type == BackgroundBlocking, &t.BackgroundRanBlocking},
		{row.Type == Foreground, &t.Foreground}, {row.Induced, &t.Induced}, {row.Unfinished, &t.Unfinished},
	} {
		if c.is {
			*c.count++
		}
	}
	if promoted, ok := row.PromotedBytes.Get(); ok {
		t.PromotedBytes = t.PromotedBytes.Add(promoted)
	}
	t.MaxPinnedObjects = highest(t.MaxPinnedObjects, row.PinnedObjects)
	t.PeakHeapBytes = highest(highest(t.PeakHeapBytes, row.HeapBeforeBytes), row.HeapAfterBytes)
}

// highest returns the higher of two Numbers; an unknown one is lower than any.
func highest(a, b analysis.Number) analysis.Number {
	x, known := a.Get()
	if y, ok := b.Get(); ok && (!known || y > x) {
		return b
	}
	return a
}

// numbersMissing counts the numbers between the first and the last collection
// that no row has.
func (r *runtime) numbersMissing() int64 {
	if !r.hasNumbers || r.leftOut > 0 {
		return 0
	}
	seen := map[uint32]bool{}
	for _, c := range r.rows {
		if c.hasNumber && c.number >= r.first && c.number <= r.latest {
			seen[c.number] = true
		}
	}
	return int64(r.latest-r.first) + 1 - int64(len(seen))
}

// sumPauses sums up the pauses.
func (r *runtime) sumPauses(t *Totals) {
	if t.Paused == nil {
		return
	}
	var lengths []int64
	var intervals []analysis.Interval
	for _, s := range r.pauses {
		lengths = append(lengths, r.trace.Between(s.From, s.To))
		intervals = append(intervals, analysis.Interval{From: s.From, To: s.To})
		until := s.To
		if s.Restarting != 0 {
			until = s.Restarting
		}
		t.RuntimePauseNs += r.trace.Between(s.From, until)
		if s.Stopped != 0 {
			t.MaxSuspension = highest(t.MaxSuspension, analysis.Known(r.trace.Between(s.From, s.Stopped)))
		}
	}
	t.Pauses = analysis.NewDistribution(lengths)
	t.PauseNs = r.trace.Union(intervals)
	t.PausePercent = analysis.Percent(t.PauseNs, t.ObservedNs)
}

// sumAllocations sums up the allocated bytes: those of AllocationTick, or else
// the estimates of the rows, each from the start of the collection before on.
func (r *runtime) sumAllocations(t *Totals, rows []Row) {
	duration := t.ObservedNs
	if r.hasTicks {
		t.AllocatedBytes = analysis.Known(r.allTicks)
	} else {
		duration = 0
		var before analysis.Number
		for _, row := range rows {
			if row.Type == NoCollection {
				continue
			}
			if bytes, ok := row.AllocatedBytes.Get(); ok {
				t.AllocatedBytes, t.AllocatedEstimated = t.AllocatedBytes.Add(bytes), true
				duration += row.StartNs - before.Or(row.StartNs)
			} else if !before.IsZero() {
				t.AllocatedUnknown++
			}
			before = analysis.Known(row.StartNs)
		}
	}
	if bytes, ok := t.AllocatedBytes.Get(); ok && duration > 0 {
		t.AllocatedBytesPerSecond = analysis.Known(int64(float64(bytes) / float64(duration) * 1e9))
	}
}
