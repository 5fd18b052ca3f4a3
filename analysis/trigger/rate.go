package trigger

// slots is the number of parts of the time of a rate.
const slots = 64

// rate counts events in a time that ends with the newest event.
type rate struct {
	width  int64 // of a slot, ns
	newest int64 // number of the newest slot
	counts [slots]int32
	sum    int64
}

// add adds an event at a time and returns the number of events in the window.
// Events that are older than the window do not count.
func (r *rate) add(at int64) int64 {
	slot := at / r.width
	switch {
	case slot-r.newest >= slots:
		r.counts, r.sum = [slots]int32{}, 0
		r.newest = slot
	case slot > r.newest:
		for next := r.newest + 1; next <= slot; next++ {
			r.sum -= int64(r.counts[next%slots])
			r.counts[next%slots] = 0
		}
		r.newest = slot
	case r.newest-slot >= slots:
		return r.sum
	}
	if count := &r.counts[slot%slots]; *count < 1<<31-1 {
		*count++
		r.sum++
	}
	return r.sum
}
