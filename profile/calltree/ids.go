package calltree

import (
	"math"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/profile"
)

// IDs returns the ids that processes and threads have in the file. Ids are usually
// those of the trace. Viewers read 32 bits: an id that is larger, such as that of a thread
// of Mono, which is a pointer, becomes the smallest number that no other one has.
func IDs(threads []profile.Thread) (pids, tids []uint64) {
	pids, tids = make([]uint64, len(threads)), make([]uint64, len(threads))
	for i := range threads {
		pids[i], tids[i] = threads[i].ProcessID, threads[i].ID
	}
	shorten(pids)
	shorten(tids)
	return pids, tids
}

// shorten replaces ids of more than 32 bits, equal ones by the same number.
func shorten(ids []uint64) {
	used, short := map[uint64]bool{}, map[uint64]uint64{}
	for _, id := range ids {
		used[id] = true
	}
	next := uint64(0)
	for i, id := range ids {
		if id <= math.MaxUint32 {
			continue
		}
		if short[id] == 0 {
			for next++; used[next]; next++ {
			}
			short[id] = next
		}
		ids[i] = short[id]
	}
}

// WithID returns a name, with the id if the file has another one.
func WithID(name string, id, written uint64) string {
	if text := strconv.FormatUint(id, 10); id != written && !strings.Contains(name, text) {
		return name + " (" + text + ")"
	}
	return name
}
