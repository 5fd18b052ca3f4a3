package codec

// queued is a Record with memory of its own.
type queued struct {
	Record
	payload []byte
	stack   []uint64
	labels  []Label
}

func (q *queued) fill(rec *Record) {
	q.payload = append(q.payload[:0], rec.Payload...)
	q.stack = append(q.stack[:0], rec.Stack...)
	q.labels = append(q.labels[:0], rec.Labels...)
	q.Record = *rec
	q.Payload, q.Stack, q.Labels = q.payload, q.stack, q.labels
}

// memory returns the bytes that q keeps for the next event.
func (q *queued) memory() int64 {
	return int64(cap(q.payload)) + addressSize*int64(cap(q.stack)) + labelSize*int64(cap(q.labels))
}

// queuedSize is what an event counts for RecorderOptions.QueueBytes.
func queuedSize(rec *Record) int64 {
	n := int64(len(rec.Payload)) + addressSize*int64(len(rec.Stack))
	for i := range rec.Labels {
		n += labelSize + int64(len(rec.Labels[i].Key)+len(rec.Labels[i].Value))
	}
	return n
}

// release makes a written event free. Its memory is kept for the next one up to a quarter
// of QueueBytes.
func (r *Recorder) release(q *queued) {
	r.bytes -= queuedSize(&q.Record)
	clear(q.labels) // which refer to the caller's text
	q.Record = Record{}
	if r.kept+q.memory() > r.opt.QueueBytes/4 {
		q.payload, q.stack, q.labels = nil, nil, nil
	}
	r.kept += q.memory()
	r.free = append(r.free, q)
}
