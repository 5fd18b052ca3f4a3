package profile

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// record is a stored sample, in the list of its thread.
type record struct {
	ticks, until uint64 // the time it covers; until = ticks of a sample without a duration
	stack        StackID
	detail       uint32 // position in details, 0 for none; the highest bits are the codeBits
}

// The codeBits of a wall sample. At most one of them is set.
const (
	managedBit = 1 << 31 // it was taken in managed code
	lockedBit  = 1 << 30 // it was taken elsewhere, in a contention of its thread
	ranBit     = 1 << 29 // the writer does not tell (.NET 9), and its frames do not show a wait
	codeBits   = managedBit | lockedBit | ranBit
)

func (r *record) managed() bool { return r.detail&managedBit != 0 }

func (r *record) at() int { return int(r.detail &^ codeBits) }

// detail has the values of samples that are not wall samples.
type detail struct {
	value, count  int64
	owner         uint64          // thread that held the lock, 0 for none
	activity      uint32          // position in activities
	label, labels uint32          // labels[label:label+labels]
	leaf          FrameID         // a synthesized frame above the stack's own; 0 for none
	selection     selection       // of an allocation
	preempted     bool            // of a switch: the thread would have run on
	waker, woken  uint64          // of a switch: the thread that woke this one, 0 if unknown, and the ticks
	unfinished    bool            // of a duration: its end is not in the trace
	inLock        bool            // of a wait: it begins in a contention
	onMonitor     bool            // of a wait: for a pulse, in Monitor.Wait
	ofTask        bool            // of a wait: the task library says that it is for a task
	of            *codec.Metadata // of samples of type Event
	offset        int64           // of the event, for type Event
}

// pieces is a list that grows without being copied.
//
// Invariant: all pieces but the last one hold pieceSize.
type pieces[T any] struct {
	list  [][]T
	count int
}

const (
	pieceBits = 9
	pieceSize = 1 << pieceBits
)

func (l *pieces[T]) add(v T) { l.addWith(v, nil) }

// addWith is add, and takes the memory of the next piece from spare if that has some.
func (l *pieces[T]) addWith(v T, spare *[][]T) {
	if last := len(l.list) - 1; last >= 0 && len(l.list[last]) < pieceSize {
		l.list[last] = append(l.list[last], v)
	} else {
		l.list = append(l.list, append(nextPiece(last < 0, spare), v))
	}
	l.count++
}

// nextPiece returns memory for a piece.
func nextPiece[T any](first bool, spare *[][]T) []T {
	if first {
		return make([]T, 0, 8) // many lists are short
	}
	if spare == nil || len(*spare) == 0 {
		return make([]T, 0, pieceSize)
	}
	last := len(*spare) - 1
	piece := (*spare)[last]
	*spare = (*spare)[:last]
	return piece
}

func (l *pieces[T]) at(i int) *T { return &l.list[i>>pieceBits][i&(pieceSize-1)] }

// activityPair is an activity and the one that caused it.
type activityPair struct{ activity, related wire.GUID }

// records are the samples of one type on one thread.
type records struct{ pieces[record] }

// sort sorts records by time. Usually they are sorted: a stream has the events of
// one thread in its order.
func (l *records) sort() {
	for i := 1; i < l.count; i++ {
		if l.at(i).ticks < l.at(i-1).ticks {
			all := slices.Concat(l.list...)
			slices.SortStableFunc(all, func(a, b record) int { return cmp.Compare(a.ticks, b.ticks) })
			for i := range all {
				*l.at(i) = all[i]
			}
			return
		}
	}
}

// all iterates over the records.
func (l *records) all() iter.Seq2[int, *record] {
	return func(yield func(i int, r *record) bool) {
		for i := range l.count {
			if !yield(i, l.at(i)) {
				return
			}
		}
	}
}

// filter keeps the records that a function wants.
func (l *records) filter(keep func(*record) bool) {
	old := *l
	*l = records{}
	for i := range old.count {
		if r := old.at(i); keep(r) {
			l.add(*r)
		}
	}
}

// ofType are the samples of a type, by thread.
type ofType []records

// of returns the records of a thread.
func (o ofType) of(thread int) *records {
	if uint(thread) >= uint(len(o)) {
		return &records{}
	}
	return &o[thread]
}

// on returns the records of a thread, to add to them.
func (o *ofType) on(thread uint32) *records {
	if missing := int(thread) + 1 - len(*o); missing > 0 {
		*o = append(*o, make([]records, missing)...)
	}
	return &(*o)[thread]
}

// all iterates over the records of all threads.
func (o ofType) all() iter.Seq2[int, *record] {
	return func(yield func(thread int, r *record) bool) {
		for thread := range o {
			for _, r := range o[thread].all() {
				if !yield(thread, r) {
					return
				}
			}
		}
	}
}

// codes returns the distinct stacks and kinds of code of each thread, as codeOf numbers them, in
// the order of their first records. stacks is the number of stacks in the profile.
func (o ofType) codes(workers, stacks int) [][]int {
	lists, met := make([][]int, len(o)), make([][]bool, workers)
	divide(workers, len(o), func(worker, thread int) {
		if met[worker] == nil {
			met[worker] = make([]bool, len(codeKinds)*stacks)
		}
		met, list := met[worker], []int(nil)
		for _, r := range o[thread].all() {
			if code := codeOf(r); !met[code] {
				met[code] = true
				list = append(list, code)
			}
		}
		for _, code := range list {
			met[code] = false
		}
		lists[thread] = list
	})
	return lists
}

// codeKinds are the codeBits that codeOf distinguishes.
var codeKinds = [...]uint32{0, managedBit, lockedBit, ranBit}

// codeOf numbers the stack of a record and its kind of code.
func codeOf(r *record) int {
	kind := 0
	switch r.detail & codeBits {
	case managedBit:
		kind = 1
	case lockedBit:
		kind = 2
	case ranBit:
		kind = 3
	}
	return int(r.stack)*len(codeKinds) + kind
}

func (o ofType) count() int64 {
	n := int64(0)
	for i := range o {
		n += int64(o[i].count)
	}
	return n
}

// median is the median interval of a thread's samples in ticks, 0 when no thread
// has two. Its highest bits are found first, then those below, so that no list of
// intervals is needed.
func (o ofType) median(workers int) uint64 {
	counts := o.intervals(workers, (64-leadingBits+1)<<leadingBits, magnitude)
	all := uint32(0)
	for _, n := range counts {
		all += n
	}
	if all == 0 {
		return 0
	}
	at, rank := nth(counts, all/2)
	found, shift := uint64(at), 0
	if at >= 1<<leadingBits {
		found, shift = uint64(1<<leadingBits|at&(1<<leadingBits-1)), at>>leadingBits-1
	}
	for shift > 0 {
		digit := min(shift, leadingBits)
		shift -= digit
		counts = o.intervals(workers, 1<<digit, func(d uint64) int {
			if d>>shift>>digit != found {
				return -1
			}
			return int(d >> shift & (1<<digit - 1))
		})
		at, rank = nth(counts, rank)
		found = found<<digit | uint64(at)
	}
	return found
}

// leadingBits is the number of bits after the first one that magnitude keeps.
const leadingBits = 10

// magnitude numbers intervals in ascending order: those of the same length in bits and with
// the same leading bits have one number.
func magnitude(d uint64) int {
	if d < 1<<leadingBits {
		return int(d)
	}
	shift := bits.Len64(d) - 1 - leadingBits
	return (shift+1)<<leadingBits | int(d>>shift)&(1<<leadingBits-1)
}

// nth returns where the element of a rank is, and its rank there.
func nth(counts []uint32, rank uint32) (at int, within uint32) {
	for rank >= counts[at] {
		rank -= counts[at]
		at++
	}
	return at, rank
}

// intervals counts the intervals between the samples of each thread by the number that a
// function gives them, from 0 to n-1; those with a negative one are left out.
func (o ofType) intervals(workers, n int, number func(uint64) int) []uint32 {
	counts := make([][]uint32, workers) // by worker
	divide(workers, len(o), func(worker, thread int) {
		if counts[worker] == nil {
			counts[worker] = make([]uint32, n)
		}
		counts, l := counts[worker], &o[thread]
		for i := 1; i < l.count; i++ {
			if at := number(l.at(i).ticks - l.at(i-1).ticks); at >= 0 {
				counts[at]++
			}
		}
	})
	sum := make([]uint32, n)
	for _, one := range counts {
		for i, c := range one {
			sum[i] += c
		}
	}
	return sum
}
