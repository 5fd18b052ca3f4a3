package program_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// topRows is what top --json prints that a slice and its source have in common.
type topRows struct {
	Samples    int64
	Total      int64
	IntervalNs int64
	Rows       []checkedRow
}

type checkedRow struct {
	Name, Module         string
	Self, Total, Samples int64
}

func (r *topRows) names() map[string]bool {
	names := map[string]bool{}
	for _, row := range r.Rows {
		names[row.Module+"!"+row.Name] = true
	}
	return names
}

// topOf returns what top prints of the samples from <= t < to.
func topOf(t *testing.T, name string, from, to time.Duration) (rows topRows) {
	t.Helper()
	r := programtest.Run(t, nil, "top", name, "--json", "--no-repair", "--limit", "0", "--type", "wall",
		fmt.Sprintf("--from=%v", from), fmt.Sprintf("--to=%v", to))
	if r.Out == "" {
		return rows // no samples
	}
	if err := json.Unmarshal([]byte(r.Out), &rows); err != nil {
		t.Fatalf("%v: %s", err, r.Out)
	}
	slices.SortFunc(rows.Rows, func(a, b checkedRow) int {
		return cmp.Or(strings.Compare(a.Module, b.Module), strings.Compare(a.Name, b.Name), cmp.Compare(a.Self, b.Self))
	})
	return rows
}

// rounds are the times of the sampler's rounds of a trace.
type rounds struct {
	first, last time.Duration // of the first and the last sample
	longest     time.Duration // between the beginnings of two rounds
	began       []time.Duration
	samples     map[time.Duration]int64 // by the beginning of the round
	median      time.Duration           // from the beginning of a round to that of the next
	rounded     bool                    // a tick is not a number of nanoseconds
}

// before returns when the last round began that began at a time or before.
func (r *rounds) before(at time.Duration) time.Duration {
	i, found := slices.BinarySearch(r.began, at)
	if found || i == 0 {
		return at
	}
	return r.began[i-1]
}

// roundsOf finds the rounds of a trace. A round ends before a sample of a thread
// that has one in it.
func roundsOf(data []byte) (found rounds, ok bool) {
	r := codec.NewBytesReader(data, codec.Options{OnError: codec.Skip})
	trace, err := r.Trace()
	if err != nil || trace.TickFrequency == 0 {
		return found, false
	}
	type round struct {
		began   time.Duration
		sampled map[uint64]bool
	}
	found.samples = map[time.Duration]int64{}
	open := map[uint64]*round{}
	for e, err := range r.Events() {
		if err != nil {
			break
		}
		if e.Provider() != "Microsoft-DotNETCore-SampleProfiler" || e.ID() != 0 {
			continue
		}
		at := trace.Since(e.Timestamp)
		if !ok {
			found.first, found.last, ok = at, at, true
		}
		found.first, found.last = min(found.first, at), max(found.last, at)
		of := open[e.CaptureThreadIndex]
		if of == nil || of.sampled[e.ThreadIndex] {
			if of != nil {
				found.longest = max(found.longest, at-of.began)
			}
			of = &round{at, map[uint64]bool{}}
			found.began = append(found.began, at)
			open[e.CaptureThreadIndex] = of
		}
		of.sampled[e.ThreadIndex] = true
		found.samples[of.began]++
	}
	slices.Sort(found.began)
	var lengths []time.Duration
	for i := range len(found.began) - 1 {
		lengths = append(lengths, found.began[i+1]-found.began[i])
	}
	if slices.Sort(lengths); len(lengths) > 0 {
		found.median = lengths[len(lengths)/2]
	}
	found.rounded = 1_000_000_000%trace.TickFrequency != 0
	return found, ok
}

// beforeGaps is the number of samples in a window that are in a round before a gap: more
// than ten intervals and 100 ms. What is cut off the end of a window may be one too.
func (r *rounds) beforeGaps(from, to time.Duration) (samples int64) {
	for i, began := range r.began {
		if began < from-r.median || began >= to {
			continue
		}
		if i+1 == len(r.began) || r.began[i+1]-began > max(10*r.median, 100*time.Millisecond)*9/10 {
			samples += r.samples[began]
		}
	}
	return samples
}

// equal reports whether rows are the same. Where times are rounded to
// nanoseconds, each sample can differ by one. Each sample before a gap owns the median
// interval of its file: of a slice, of its own samples.
func (r *rounds) equal(got, want topRows, gaps int64) bool {
	interval := max(got.IntervalNs-want.IntervalNs, want.IntervalNs-got.IntervalNs)
	near := func(got, want, samples int64) bool {
		differ := min(samples, gaps) * interval
		if r.rounded {
			differ += samples
		}
		return max(got-want, want-got) <= differ
	}
	if got.Samples != want.Samples || len(got.Rows) != len(want.Rows) || !near(got.Total, want.Total, want.Samples) {
		return false
	}
	for i, row := range want.Rows {
		have := got.Rows[i]
		if have.Name != row.Name || have.Module != row.Module || have.Samples != row.Samples ||
			!near(have.Self, row.Self, row.Samples) || !near(have.Total, row.Total, want.Samples) {
			return false
		}
	}
	return true
}

// TestSliceProfiles slices every trace with samples in five places. With twice
// the longest gap between rounds around it, a window of the slice has the
// methods, weights and counts that it has in the source. Without that, every
// frame has the name that it has in the source. The slice begins with a round:
// where the trace has no suspensions, rounds are distinguished by their
// threads, so that a part of a round would shift those that follow.
func TestSliceProfiles(t *testing.T) {
	for _, name := range shared.Small(t) {
		data := shared.Trace(t, name)
		of, ok := roundsOf(data)
		if !ok || of.first == of.last {
			continue
		}
		t.Run(name, func(t *testing.T) {
			src, dst := testfile.New(t, "source.nettrace", data), filepath.Join(t.TempDir(), "slice.nettrace")
			slice := func(from, to time.Duration, format []string) bool {
				r := programtest.Run(t, nil, append(format, "slice", src, "-o", dst, "--force", fmt.Sprintf("--from=%v", from), fmt.Sprintf("--to=%v", to))...)
				return r.Code == exit.Done || r.Code == exit.Broken && fileExists(dst)
			}
			window := (of.last - of.first) / 12
			compared := 0
			for i := range time.Duration(5) {
				a := of.first + (2*i+1)*window
				b := a + window
				want := topOf(t, src, a, b)
				if want.Samples == 0 {
					continue
				}
				compared++
				format := [][]string{nil, {"--format=v6"}}[i%2]
				if !slice(of.before(a-2*of.longest), b+2*of.longest, format) {
					t.Fatalf("window %d: no slice", i)
				}
				if got := topOf(t, dst, a, b); !of.equal(got, want, of.beforeGaps(a, b)) {
					t.Errorf("window %d, %v to %v, %d samples before gaps of %v: %d samples, %d ns, %d rows; the source has %d, %d, %d%s", i, a, b, of.beforeGaps(a, b), of.median,
						got.Samples, got.Total, len(got.Rows), want.Samples, want.Total, len(want.Rows), rowDifference(got, want))
				}
				if !slice(a, b, format) {
					t.Fatalf("window %d: no slice without a margin", i)
				}
				names := want.names()
				without := topOf(t, dst, a, b)
				for name := range without.names() {
					if !names[name] {
						t.Errorf("window %d, %v to %v, without a margin: the source has no %s", i, a, b, name)
					}
				}
				if without.Samples == 0 && window > of.longest {
					t.Errorf("window %d, %v to %v, without a margin: no samples", i, a, b)
				}
			}
			t.Logf("%d windows of %v, margin %v", compared, window, 2*of.longest)
		})
	}
}

// rowDifference is the first row that differs.
func rowDifference(got, want topRows) string {
	for i := range min(len(got.Rows), len(want.Rows)) {
		if got.Rows[i] != want.Rows[i] {
			return fmt.Sprintf("\n%+v\n%+v", got.Rows[i], want.Rows[i])
		}
	}
	return ""
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
