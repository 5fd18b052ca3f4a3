package exceptions

import "github.com/nettrace-go/nettrace/analysis"

// rate has the throws of each second by stack: which of them are rethrows is known at the end. Times
// are in nanoseconds. Its zero value is empty.
type rate struct {
	counts map[inSecond]int64
	full   bool // some are missing
}

// inSecond is a stack in a second.
type inSecond struct {
	second int64
	stack  analysis.StackID
}

// add adds a throw. limit bounds the entries.
func (r *rate) add(at int64, stack analysis.StackID, limit int64) {
	const second = 1e9
	key := inSecond{at / second, stack}
	if r.counts == nil {
		r.counts = map[inSecond]int64{}
	}
	if _, ok := r.counts[key]; !ok && int64(len(r.counts)) >= limit {
		r.full = true
		return
	}
	r.counts[key]++
}

// most returns the highest number in a second of those that count, unknown if some are missing.
func (r *rate) most(counts func(analysis.StackID) bool) analysis.Number {
	if r.full {
		return analysis.Number{}
	}
	seconds, most := map[int64]int64{}, int64(0)
	for key, n := range r.counts {
		if counts(key.stack) {
			seconds[key.second] += n
			most = max(most, seconds[key.second])
		}
	}
	return analysis.Known(most)
}
