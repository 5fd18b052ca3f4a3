package codec

// OnSequencePoint makes the Reader call f for each sequence point, when it reads
// it: after the events before the point were decoded (Count), and before the point
// ends threads. With Options.Order ByTime those events may not have been delivered.
// The point is valid during the call. A nil f ends that.
func (r *Reader) OnSequencePoint(f func(*SequencePoint)) { r.onPoint = f }

// ThreadRow returns the row of the thread table (v6) with an index, nil when the
// table has none now, and in v3 to v5.
func (r *Reader) ThreadRow(index uint64) *Thread { return r.threads.get(index) }
