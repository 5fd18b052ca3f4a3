package profile

// FromReaderAt is fromReader, for tests that truncate stacks.
var FromReaderAt = fromReader

// Cover is cover, for its comparison with a simple algorithm.
var Cover = cover

// LastEnd returns the end of the last Wall sample of a thread, in ticks.
func (p *Profile) LastEnd(thread int) uint64 {
	rows := p.records[Wall].of(thread)
	return rows.at(rows.count - 1).until
}
