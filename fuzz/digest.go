package fuzz

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

// digester makes records of the reader's results.
type digester struct {
	buf  []byte
	last *codec.Metadata // the bytes whose digest is sum
	sum  uint64
}

var seed = maphash.MakeSeed()

func (d *digester) event(e *codec.Event) record {
	at := e.Time()
	stack, labels, payload := e.Stack(), e.Labels(), e.Payload()
	return record{
		Offset: e.Offset(), Timestamp: e.Timestamp, Thread: e.ThreadIndex, CaptureThread: e.CaptureThreadIndex,
		MetadataID: e.MetadataID, Sequence: e.Sequence, StackID: e.StackID, Processor: e.Processor, Sorted: e.Sorted(),
		Provider: e.Provider(), Name: e.Name(), ID: e.ID(), Version: e.Version(), Level: e.Level(), Opcode: e.Opcode(),
		Keywords: e.Keywords(), Activity: e.Activity(), RelatedActivity: e.RelatedActivity(),
		Seconds: at.Unix(), Nanoseconds: at.Nanosecond(), OSThread: asID(e.ThreadID()), OSCaptureThread: asID(e.CaptureThreadID()),
		Process: asID(e.ProcessID()), Frames: len(stack), PayloadSize: len(payload), LabelCount: len(labels),
		Payload: maphash.Bytes(seed, payload), Stack: d.stack(stack), Labels: d.labels(labels),
		Metadata: d.metadata(e.Metadata()), ThreadRow: d.thread(e.Thread()), CaptureThreadRow: d.thread(e.CaptureThread()),
		Flags: e.RowFlags(),
	}
}

func (d *digester) done(b []byte) uint64 {
	d.buf = b[:0]
	return maphash.Bytes(seed, b)
}

func (d *digester) stack(stack []uint64) uint64 {
	if len(stack) == 0 {
		return 0
	}
	b := d.buf
	for _, address := range stack {
		b = binary.LittleEndian.AppendUint64(b, address)
	}
	return d.done(b)
}

func (d *digester) labels(labels []codec.Label) uint64 {
	if len(labels) == 0 {
		return 0
	}
	b := d.buf
	for _, l := range labels {
		b = append(append(b, byte(l.Kind)), l.GUID[:]...)
		b = append64(appendTexts(b, l.Key, l.Value), l.Number)
	}
	return d.done(b)
}

func (d *digester) thread(t *codec.Thread) uint64 {
	if t == nil {
		return 0
	}
	b := append64(d.buf, t.Index, t.ProcessID, t.ThreadID, bit(t.HasProcessID), bit(t.HasThreadID))
	return d.done(appendPairs(appendTexts(b, t.Name), t.Attributes))
}

func (d *digester) metadata(m *codec.Metadata) uint64 {
	if m == nil {
		return 0
	}
	if m != d.last {
		d.last, d.sum = m, d.done(appendMetadata(d.buf, m))
	}
	return d.sum
}

func (d *digester) trace(t *codec.Trace) uint64 {
	b := append(d.buf, t.Format.String()...)
	b = append64(b, uint64(t.SyncTime.Unix()), uint64(t.SyncTime.Nanosecond()), t.SyncTicks, t.TickFrequency, uint64(t.PointerSize))
	pid, ok := t.ProcessID()
	b = append64(b, pid, bit(ok))
	for _, ticks := range []uint64{0, 1, 1 << 63, 1<<64 - 1, t.SyncTicks - 1} {
		at, since := t.Time(ticks), t.Since(ticks)
		b = append64(b, uint64(at.Unix()), uint64(at.Nanosecond()), uint64(since/time.Nanosecond))
	}
	return d.done(appendPairs(b, t.Properties))
}

func (d *digester) block(b *codec.Block, events int) blockRecord {
	rec := blockRecord{
		Kind: b.Kind, TypeName: b.TypeName, Offset: b.Offset, BodyOffset: b.BodyOffset, Size: b.Size,
		Have: len(b.Body), Rows: b.Rows, HeaderSize: b.HeaderSize, Flags: b.Flags,
		MinTimestamp: b.MinTimestamp, MaxTimestamp: b.MaxTimestamp, FirstID: b.FirstID,
		Body: maphash.Bytes(seed, b.Body), Events: events,
	}
	var sum []uint64
	for _, row := range b.Metadata {
		sum = append(sum, uint64(row.Offset), uint64(row.Size), uint64(row.Flags), d.metadata(row.Metadata))
	}
	for _, t := range b.Threads {
		sum = append(sum, d.thread(t))
	}
	for _, entry := range slices.Concat(b.Removed, b.SequencePoint.Threads) {
		sum = append(sum, entry.Thread, uint64(entry.Sequence))
	}
	sum = append(sum, b.SequencePoint.Timestamp, uint64(b.SequencePoint.Flags))
	rec.Defines = d.stack(sum)
	return rec
}

func appendMetadata(b []byte, m *codec.Metadata) []byte {
	b = append64(b, uint64(m.ID), uint64(m.EventID), m.Keywords, uint64(m.Version), uint64(m.Level), uint64(m.Opcode),
		bit(m.OpcodeSet), bit(m.V2Params))
	b = append(appendTexts(b, m.Provider, m.Name, m.Message, m.Description), m.ProviderGUID[:]...)
	return appendFields(appendPairs(b, m.Attributes), m.Fields)
}

func appendFields(b []byte, fields []codec.Field) []byte {
	b = append64(b, uint64(len(fields)))
	for i := range fields {
		b = appendType(appendTexts(b, fields[i].Name), &fields[i].Type)
	}
	return b
}

func appendType(b []byte, t *codec.Type) []byte {
	b = append(b, byte(t.Code), byte(t.Count), byte(t.Count>>8), byte(bit(t.FixedSize())))
	if t.Element != nil {
		b = appendType(append(b, 'e'), t.Element)
	}
	return appendFields(b, t.Fields)
}

func appendTexts(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = append(append64(b, uint64(len(s))), s...)
	}
	return b
}

func appendPairs(b []byte, pairs []codec.KeyValue) []byte {
	b = append64(b, uint64(len(pairs)))
	for _, p := range pairs {
		b = appendTexts(b, p.Key, p.Value)
	}
	return b
}

func bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}
