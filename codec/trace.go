package codec

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"time"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Keys of the properties that every version has. v3 to v5 have them as numbers
// in the Trace object; the Reader gives them the keys of v6.
//
// Spec: "Trace block".
const (
	ProcessIDKey               = "ProcessId"
	HardwareThreadCountKey     = "HardwareThreadCount"
	ExpectedCPUSamplingRateKey = "ExpectedCPUSamplingRate"
)

// noProcess is the ProcessId of a Trace object of an unknown process. The field
// has no such value in the text; it is -1 as a signed number, which no process
// has. 0 is read as process 0.
const noProcess = 1<<32 - 1

// KeyValue is a pair of texts.
type KeyValue struct {
	Key   string // not necessarily unique in a list
	Value string // may be empty
}

// Trace describes the trace: the content of the stream's first block.
type Trace struct {
	Format        wire.Format // version in the stream's header
	SyncTime      time.Time   // UTC at SyncTicks, to the millisecond; zero if the stream has no valid time
	SyncTicks     uint64      // timestamp at SyncTime
	TickFrequency uint64      // ticks per second; 0 is a defect
	PointerSize   int         // size of an address in stacks in bytes, 4 or 8
	Properties    []KeyValue  // in file order
}

// Property returns the value of the last property with that key.
func (t *Trace) Property(key string) (string, bool) {
	for i := len(t.Properties) - 1; i >= 0; i-- {
		if t.Properties[i].Key == key {
			return t.Properties[i].Value, true
		}
	}
	return "", false
}

// ProcessID returns the id of the traced process, and whether the trace is of
// one process. In v3 to v5 a ProcessId of -1 means a trace of several processes;
// this package writes -1 for such a trace.
func (t *Trace) ProcessID() (uint64, bool) {
	text, _ := t.Property(ProcessIDKey)
	id, err := strconv.ParseUint(text, 10, 64)
	return id, err == nil
}

// Time converts a timestamp to UTC, rounded down to the nanosecond. It returns
// the zero time if the trace has no clock.
func (t *Trace) Time(ticks uint64) time.Time {
	if t.SyncTime.IsZero() || t.TickFrequency == 0 {
		return time.Time{}
	}
	seconds, nanos := t.split(ticks)
	return time.Unix(t.SyncTime.Unix()+seconds, int64(t.SyncTime.Nanosecond())+nanos).UTC()
}

// Since returns the time from SyncTicks to ticks, negative before it. It
// saturates at the bounds of time.Duration, and is 0 if the trace has no tick
// frequency.
func (t *Trace) Since(ticks uint64) time.Duration {
	if t.TickFrequency == 0 {
		return 0
	}
	seconds, nanos := t.split(ticks)
	const maxSeconds = int64(1<<63-1) / int64(time.Second)
	switch {
	case seconds >= maxSeconds:
		return 1<<63 - 1
	case seconds < -maxSeconds:
		return -1 << 63
	}
	return time.Duration(seconds)*time.Second + time.Duration(nanos)
}

// Ticks returns the timestamp d after SyncTicks, rounded down: the inverse of
// Since.
func (t *Trace) Ticks(d time.Duration) uint64 {
	hi, lo := bits.Mul64(uint64(max(d, -d)), t.TickFrequency)
	ticks, rest := bits.Div64(hi%uint64(time.Second), lo, uint64(time.Second))
	if d >= 0 {
		return t.SyncTicks + ticks
	}
	if rest > 0 {
		ticks++
	}
	return t.SyncTicks - ticks
}

// split returns ticks relative to SyncTicks as seconds, rounded down, and the
// remaining nanoseconds, in [0, 1e9).
func (t *Trace) split(ticks uint64) (seconds, nanos int64) {
	diff := int64(ticks - t.SyncTicks)
	size := uint64(diff)
	if diff < 0 {
		size = -size
	}
	whole, rest := size/t.TickFrequency, size%t.TickFrequency
	hi, lo := bits.Mul64(rest, 1e9)
	fraction, remainder := bits.Div64(hi, lo, t.TickFrequency)
	if diff >= 0 {
		return int64(whole), int64(fraction)
	}
	if remainder > 0 {
		fraction++
	}
	if fraction == 0 {
		return -int64(whole), 0
	}
	return -int64(whole) - 1, 1e9 - int64(fraction)
}

// readTraceObject reads the Trace object of v3 to v5.
//
// Spec: "The First Object: The Trace Object" of the v4/v5 text.
func readTraceObject(r *stream, b *raw.Block) {
	body := b.Body
	if len(body) < 48 {
		return
	}
	r.readClock(b, body)
	r.trace.PointerSize = r.pointerSize(b, 32, binary.LittleEndian.Uint32(body[32:]))
	keys := [...]string{ProcessIDKey, HardwareThreadCountKey, ExpectedCPUSamplingRateKey}
	r.trace.Properties = make([]KeyValue, 0, len(keys))
	var digits [10]byte
	for i, key := range keys {
		number := binary.LittleEndian.Uint32(body[36+4*i:])
		if key == ProcessIDKey && number == noProcess {
			continue
		}
		value := strconv.AppendUint(digits[:0], uint64(number), 10)
		r.trace.Properties = append(r.trace.Properties, KeyValue{key, r.names.utf8(value)})
	}
}

// readTraceBlock reads the Trace block of v6.
//
// Spec: "Trace block".
func readTraceBlock(r *stream, b *raw.Block) {
	const fixed = 40
	c := cursor{b: b.Body}
	if len(b.Body) < fixed {
		c.past = true
		c.fail(rule.TRC001, len(b.Body))
		r.badRow(b, &c)
		return
	}
	r.readClock(b, b.Body)
	r.trace.PointerSize = r.pointerSize(b, 32, binary.LittleEndian.Uint32(b.Body[32:]))
	c.pos = 36
	count := int32(c.uint32(rule.TRC001))
	if count < 0 {
		c.fail(rule.TRC010, 36)
	}
	for i := int32(0); i < count && c.bad == rule.None; i++ {
		key, value := c.text(rule.TRC010), c.text(rule.TRC010)
		size := propertySize + int64(len(key)+len(value))
		if r.mayHoldAt(&c, size, c.pos) {
			r.traceHeld += size
			r.trace.Properties = grow(r.trace.Properties, KeyValue{r.names.utf8(key), r.names.utf8(value)})
		}
	}
	r.badRow(b, &c)
}

// readClock reads the common start of the Trace blocks of all versions.
func (r *stream) readClock(b *raw.Block, body []byte) {
	t := r.trace
	var ok bool
	if t.SyncTime, ok = wire.SystemTime(body); !ok {
		r.defect(rule.TRC002, b.BodyOffset)
	}
	t.SyncTicks = binary.LittleEndian.Uint64(body[16:])
	t.TickFrequency = binary.LittleEndian.Uint64(body[24:])
	if int64(t.TickFrequency) <= 0 {
		t.TickFrequency = 0
		r.defect(rule.TRC005, b.BodyOffset+24)
	}
}

// pointerSize checks the size of a pointer. Anything but 4 is read as 8, as
// the reference reader does.
func (r *stream) pointerSize(b *raw.Block, at int64, size uint32) int {
	if size == 4 || size == 8 {
		return int(size)
	}
	r.defect(rule.TRC008, b.BodyOffset+at)
	return 8
}
