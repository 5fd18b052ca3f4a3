//go:build unix

package eventpipetest

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

// Trace is the stream of a session.
type Trace struct {
	// Data is a complete recorded trace. If empty, the stream is empty.
	Data []byte
	// Speed is the rate of sending relative to the recording: 1 is the same
	// pace, 2 is twice as fast. 0 sends at once.
	Speed float64
	// HeldBack is the number of bytes at the end of Data that are sent only when
	// the session is stopped, such as a rundown. 0 means 1, the end mark.
	HeldBack int
	// Endless, if not empty, is sent after all of Data but its last byte,
	// repeatedly until the client closes the connection, also after the session
	// was stopped: a runtime that never ends its stream. StopTracing is then
	// answered at once.
	Endless []byte
	// TruncateAfter closes the connection after that many bytes. 0 means never.
	TruncateAfter int
}

// step is a piece of a trace and when it is due.
type step struct {
	at  time.Duration // after the start
	end int           // where it ends in the data
}

func (t *Trace) check() error {
	if t.HeldBack < 0 || t.HeldBack > len(t.Data) {
		return fmt.Errorf("eventpipetest: of a trace of %d bytes, %d cannot be held back", len(t.Data), t.HeldBack)
	}
	if t.Speed <= 0 {
		return nil
	}
	index, err := codec.NewIndex(bytes.NewReader(t.Data), int64(len(t.Data)), codec.Options{})
	if err == nil && index.Trace().TickFrequency == 0 {
		err = errors.New("eventpipetest: a trace without a clock has no pace")
	}
	return err
}

func (t *Trace) cut() bool { return t.TruncateAfter > 0 && t.TruncateAfter < len(t.Data) }

// steps are all of the data except what is held back, or the data before the
// truncation. A block is due at the time of its last event, together with the
// bytes up to the next block.
func (t *Trace) steps() []step {
	whole := step{end: max(len(t.Data)-max(t.HeldBack, 1), 0)}
	if t.cut() {
		whole.end = t.TruncateAfter
	}
	if t.Speed <= 0 {
		return []step{whole}
	}
	index, err := codec.NewIndex(bytes.NewReader(t.Data), int64(len(t.Data)), codec.Options{})
	if err != nil {
		return []step{whole}
	}
	var list []step
	var first, last uint64
	for _, b := range index.Blocks() {
		if !b.Bounded || int(b.Offset) > whole.end {
			continue
		}
		if first == 0 {
			first = b.Min
		}
		list = append(list, step{at: due(index.Trace(), first, last, t.Speed), end: int(b.Offset)})
		last = max(last, b.Max)
	}
	whole.at = due(index.Trace(), first, last, t.Speed)
	return append(list, whole)
}

// due is how long after the first tick the last one is due.
func due(trace *codec.Trace, first, last uint64, speed float64) time.Duration {
	if last <= first {
		return 0
	}
	return time.Duration(float64(trace.Since(last)-trace.Since(first)) / speed)
}
