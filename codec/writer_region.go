package codec

// openRegion counts the memory of the events since the last sequence point that a
// Reader would need.
type openRegion struct {
	events, bytes int64 // bytes of rows
	blocks        int64 // bytes of closed event blocks in addition to their rows
	first         uint64
	stacks        int64 // bytes of addresses
	labels, texts int64 // number of labels, and bytes of label lists
	unchecked     int64 // bytes since the region was last measured

	// The reasons to end a region; 0: none.
	maxEvents, maxBytes int64
	bounded             bool // the default limits of a Reader do
	ordered             bool
	released            int64 // rows before the last sorted one, and their bytes, which wait no more
}

// Defaults with WriterOptions.Ordered.
const (
	orderedEvents = 32768
	orderedBytes  = 8 << 20
)

// start copies the options.
func (r *openRegion) start(opt *WriterOptions) {
	*r = openRegion{
		maxEvents: max(opt.PointEvents, 0), maxBytes: max(opt.PointBytes, 0), ordered: opt.Ordered,
		bounded: opt.PointEvents >= 0 && opt.PointBytes >= 0,
	}
	if opt.Ordered && opt.PointEvents == 0 {
		r.maxEvents = orderedEvents
	}
	if opt.Ordered && opt.PointBytes == 0 {
		r.maxBytes = orderedBytes
	}
}

// begin starts a region.
func (r *openRegion) begin() {
	r.events, r.bytes, r.blocks, r.stacks, r.labels, r.texts, r.released = 0, 0, 0, 0, 0, 0, 0
}

// blockCost is the memory of a Reader for a waiting block in addition to its rows:
// the header, and what is lost because the body is allocated with a rounded size.
const blockCost = sourceSize + 64

// closeBlock counts an event block, whose rows were counted before.
func (r *openRegion) closeBlock() {
	r.blocks += blockCost
	r.unchecked += blockCost
}

// release handles a sorted row that is the newest so far: events before it can be
// delivered. The bytes of the open block continue to wait.
func (r *openRegion) release(open int64) {
	r.released = (r.events-1)*eventCost + max(0, r.bytes-open) + r.blocks
}

// regionFull reports whether a sequence point must come before a record.
func (w *Writer) regionFull(rec *Record) bool {
	r := &w.region
	switch {
	case r.events == 0:
		return false
	case r.maxEvents > 0 && r.events >= r.maxEvents, r.maxBytes > 0 && r.bytes >= r.maxBytes:
		return true
	case w.opt.PointTicks > 0 && rec.Timestamp > r.first && rec.Timestamp-r.first >= w.opt.PointTicks:
		return true
	}
	if !r.bounded {
		return false
	}
	r.unchecked += int64(2*len(rec.Payload)+8*len(rec.Stack)) + eventCost
	if r.unchecked < maxUnmeasured && len(rec.Labels) == 0 {
		return false
	}
	r.unchecked = 0
	return r.beyond(int64(len(rec.Payload)), int64(len(rec.Stack)), int64(len(rec.Labels)), w.tables)
}

// maxUnmeasured is how much a region may grow before it is measured again.
const maxUnmeasured = 512 << 10

// beyond reports whether the region, with one more event, uses more than three
// quarters of the memory of a Reader with default limits. The body of a waiting
// block exists twice for a while, and labels exist three times while their table
// grows.
func (r *openRegion) beyond(payload, addresses, labels, tables int64) bool {
	waiting := int64(0)
	if !r.ordered {
		waiting = r.events*eventCost + r.bytes + r.blocks - r.released + 2*payload
	}
	stacks := r.stacks + addresses*addressSize
	labels += r.labels
	return waiting > reader34(readerLimits.Reorder) || stacks > reader34(readerLimits.Stacks) || labels > reader34(readerLimits.Labels) ||
		waiting+stacks+labels*3*labelSize+r.texts+tables > readerBudget
}

// reader34 is three quarters of a limit.
func reader34(limit int64) int64 { return limit / 4 * 3 }
