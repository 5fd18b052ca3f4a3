package codec

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// region collects the events between two sequence points and returns them by
// time. A sorted row means that no later one is older, so events that are
// strictly older than the last sorted row can be delivered before the region
// ends.
//
// Invariants: pending are in file order; out[taken:] are positions in pending, in
// the order of delivery.
type region struct {
	pending []Event
	keys    []orderKey
	spare   []orderKey
	out     []orderKey
	taken   int

	rows    []Event   // the batch that rows are decoded into
	sources []*source // of pending, and used ones for reuse
	spent   []*source
	going   []*source // likewise, once the Reader's batch does not show them any more
	holds   []*held   // for reuse
	loose   []*held   // likewise, once the Reader's batch does not show them any more
	made    int       // all there are, used or not
	open    *source   // of the current block, nil between blocks
	bytes   int64     // of bodies and events that wait, for Limits.Reorder
	bodies  int64     // capacity of all sources, including the used ones

	sorted       uint64 // the newest timestamp of a sorted row
	released     uint64 // events older than this were delivered
	newest       uint64 // newest delivered timestamp of all regions
	frozen       int    // pending[:frozen] hold their table rows
	shown        int    // events of the Reader's batch that may refer to removed rows
	regionNotice []regionNotice
	kept         int        // strict: reports[:kept] are defects that wait for their events
	stashed      *raw.Block // the sequence point or end mark that ends the region
	late         int64
	full         bool   // Limits.Reorder was exceeded, and reported
	ends         *Error // strict: the defect of the event after the last one of out
}

// regionNotice is a notice that is reported with its region.
type regionNotice struct {
	lost  Lost
	rule  rule.ID
	at    int64
	row   int
	block int64 // where the event's block starts
	edge  *Edge // or nil
}

// eventCost is what Limits.Reorder counts for a waiting event in addition to its
// bytes.
const eventCost = 240

func (g *region) reset() {
	g.drop()
	clear(g.regionNotice)
	g.regionNotice, g.kept, g.stashed, g.late, g.full, g.ends = g.regionNotice[:0], 0, nil, 0, false, nil
	g.sorted, g.released, g.newest = 0, 0, 0
}

// held estimates the memory of the region.
func (g *region) held() int64 {
	return int64(cap(g.pending))*pendingSize + int64(g.made)*heldSize + int64(cap(g.regionNotice))*noticeSize + g.bodies
}

// trim releases memory without waiting events.
func (g *region) trim() {
	for _, src := range g.spent {
		g.bodies -= src.size()
	}
	g.spent = nil
	if len(g.pending) == 0 {
		g.pending, g.keys, g.spare, g.out = nil, nil, nil, nil
	}
	if len(g.regionNotice) == 0 {
		g.regionNotice = nil
	}
	if len(g.holds) == g.made {
		g.holds, g.made = nil, 0
	}
}

// size is the memory of the source and its buffers.
func (s *source) size() int64 {
	return sourceSize + int64(cap(s.body)) + int64(cap(s.activities))*activitySize
}

// waiting is what Limits.Reorder counts for the source in addition to its events.
func (s *source) waiting() int64 { return sourceSize + int64(len(s.body)) }

// drop removes all waiting events and keeps the memory, but not their table rows.
func (g *region) drop() {
	g.going = append(g.going, g.sources...)
	for i := range g.pending[:g.frozen] {
		g.loose = append(g.loose, g.pending[i].src.held)
	}
	clear(g.pending)
	clear(g.sources)
	g.sources, g.pending, g.out, g.taken = g.sources[:0], g.pending[:0], g.out[:0], 0
	g.bytes, g.frozen, g.open = 0, 0, nil
}

// closeSource is for when the rows of the block of the open source are decoded.
func (g *region) closeSource() {
	if g.open == nil {
		return
	}
	if last := len(g.sources) - 1; g.open.events == 0 {
		g.sources[last], g.sources = nil, g.sources[:last]
		g.going = append(g.going, g.open)
		g.bytes -= g.open.waiting()
	}
	g.open = nil
}

// newSource copies the body of the current block.
func (g *region) newSource(r *stream) *source {
	src := &source{}
	if n := len(g.spent); n > 0 {
		src, g.spent[n-1] = g.spent[n-1], nil
		g.spent = g.spent[:n-1]
		g.bodies -= src.size()
	}
	src.r, src.offset, src.block, src.events, src.of = r, r.body.BodyOffset, r.body.Offset, 0, src
	src.metadata = r.metadata
	src.body = append(src.body[:0], r.body.Body...)
	src.activities = src.activities[:0]
	g.bodies += src.size()
	return src
}

// growth is the memory by which the region may grow for n more events, each of
// which may have a few notices. A growing list exists twice for a while.
func (g *region) growth(n int) int64 {
	const notices = 7
	size := int64(0)
	if n := len(g.pending) + n; n > cap(g.pending) {
		size += int64(max(n, cap(g.pending)*5/4)) * pendingSize
	}
	if len(g.regionNotice)+notices*n > cap(g.regionNotice) {
		size += int64(cap(g.regionNotice)) * 5 / 4 * noticeSize
	}
	if list := g.open.activities; cap(list) > 0 && len(list)+n > cap(list) {
		size += int64(max(n, cap(list)*5/4)) * activitySize
	}
	return size
}

// freezing is the memory that freeze needs.
func (g *region) freezing() int64 {
	return int64(max(0, len(g.pending)-g.frozen-len(g.holds))) * heldSize
}

// freeze gives each event a held, all of them allocated at once.
func (g *region) freeze() {
	events := g.pending[g.frozen:]
	g.bytes += int64(len(events)) * heldSize
	if missing := len(events) - len(g.holds); missing > 0 {
		made := make([]held, missing)
		for i := range made {
			g.holds = append(g.holds, &made[i])
		}
		g.made += missing
	}
	rest := len(g.holds) - len(events)
	for i, h := range g.holds[rest:] {
		e := &events[i]
		e.hold(h)
		e.src = &h.source
	}
	g.holds, g.frozen = g.holds[:rest], len(g.pending)
}

// defect is the notice as an error.
func (n *regionNotice) defect() Error {
	return Error{Offset: n.at, Block: wire.KindEvent, BlockOffset: n.block, Row: n.row, Rule: n.rule, Err: ErrDefect}
}

// spend removes the delivered events from the waiting ones. Their bodies are
// reused only after the next step, because the batch still shows them.
func (g *region) spend() {
	if len(g.out) == len(g.pending) && g.open == nil {
		g.drop()
		return
	}
	for _, key := range g.out {
		e := &g.pending[key.index]
		if e.src.held != nil {
			g.loose = append(g.loose, e.src.held)
			g.bytes -= heldSize
		}
		e.src.of.events--
		e.src = nil
	}
	g.pending = slices.DeleteFunc(g.pending, func(e Event) bool { return e.src == nil })
	g.bytes -= int64(len(g.out)) * eventCost
	for g.frozen = 0; g.frozen < len(g.pending) && g.pending[g.frozen].src.held != nil; {
		g.frozen++
	}
	g.out, g.taken = g.out[:0], 0
	g.sources = slices.DeleteFunc(g.sources, func(s *source) bool {
		if s.events > 0 || s == g.open {
			return false
		}
		g.going = append(g.going, s)
		g.bytes -= s.waiting()
		return true
	})
}
