package codectest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

var formatV6 = wire.V6

func oneField(code wire.TypeCode) []codec.Field {
	return []codec.Field{{Name: "f", Type: codec.Type{Code: code}}}
}

func arrayOf(code wire.TypeCode, element *codec.Type) []codec.Field {
	return []codec.Field{{Name: "f", Type: codec.Type{Code: code, Element: element, Count: 2}}}
}

// nested is an array of arrays, so many deep.
func nested(depth int) []codec.Field {
	t := codec.Type{Code: wire.Byte}
	for range depth - 1 {
		element := t
		t = codec.Type{Code: wire.Array, Element: &element}
	}
	return []codec.Field{{Name: "f", Type: t}}
}

// misuse is a way to make a Writer write something that the checker reports as an
// error.
type misuse struct {
	name    string
	formats []wire.Format // nil: all
	do      func(w *codec.Writer) error
	want    error
}

func defining(m codec.Metadata) func(*codec.Writer) error {
	if m.Provider == "" {
		m.Provider = "P"
	}
	return func(w *codec.Writer) error { _, err := w.DefineMetadata(&m); return err }
}

func adding(thread codec.Thread) func(*codec.Writer) error {
	return func(w *codec.Writer) error { _, err := w.AddThread(&thread); return err }
}

func writing(rec codec.Record) func(*codec.Writer) error {
	return func(w *codec.Writer) error { return w.Write(&rec) }
}

// event is a record of thread 1 at 20 ticks.
func event(change func(*codec.Record)) func(*codec.Writer) error {
	rec := codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 20}
	change(&rec)
	return writing(rec)
}

// withPayload defines metadata with fields and writes an event of it.
func withPayload(fields []codec.Field, payload ...byte) func(*codec.Writer) error {
	return func(w *codec.Writer) error {
		id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 2, Name: "payload", Fields: fields})
		if err != nil {
			return errors.New("metadata refused: " + err.Error())
		}
		return w.Write(&codec.Record{MetadataID: id, Thread: 1, CaptureThread: 1, Timestamp: 20, Payload: payload})
	}
}

const invalid = "caf\xe9"

var (
	only6  = []wire.Format{formatV6}
	only45 = []wire.Format{formatV4, formatV5}
	bytes1 = &codec.Type{Code: wire.Byte}
)

// misuses returns, by the order of the rules, each error that a caller of a Writer
// could cause.
func misuses() []misuse {
	return []misuse{
		// TYP, MD4: types.
		{"MD4-008 TYP-003 type 0", nil, defining(codec.Metadata{Fields: oneField(0)}), codec.ErrNotExpressible},
		{"MD4-008 TYP-003 type 2", nil, defining(codec.Metadata{Fields: oneField(2)}), codec.ErrNotExpressible},
		{"TYP-003 type 27", nil, defining(codec.Metadata{Fields: oneField(27)}), codec.ErrNotExpressible},
		{"TYP-003 type 255", nil, defining(codec.Metadata{Fields: oneField(255)}), codec.ErrNotExpressible},
		{"TYP-003 a type of schemas", nil, defining(codec.Metadata{Fields: oneField(wire.Pointer)}), codec.ErrNotExpressible},
		{"TYP-005 array without element", nil, defining(codec.Metadata{Fields: oneField(wire.Array)}), codec.ErrNotExpressible},
		{"TYP-005 fixed array without element", nil, defining(codec.Metadata{Fields: oneField(wire.FixedLengthArray)}), codec.ErrNotExpressible},
		{"TYP-005 locator without element", nil, defining(codec.Metadata{Fields: oneField(wire.RelLoc)}), codec.ErrNotExpressible},
		{"TYP-005 locator of fixed array without element", nil, defining(codec.Metadata{Fields: arrayOf(wire.DataLoc, &codec.Type{Code: wire.FixedLengthArray})}), codec.ErrNotExpressible},
		{"TYP-005 array of array without element", nil, defining(codec.Metadata{Fields: arrayOf(wire.Array, &codec.Type{Code: wire.Array})}), codec.ErrNotExpressible},
		{"element of a number", nil, defining(codec.Metadata{Fields: arrayOf(wire.Int32, bytes1)}), codec.ErrNotExpressible},
		{"fields of a number", nil, defining(codec.Metadata{Fields: []codec.Field{{Type: codec.Type{Code: wire.Int32, Fields: oneField(wire.Byte)}}}}), codec.ErrNotExpressible},
		{"counted by another field", nil, defining(codec.Metadata{Fields: []codec.Field{{Type: codec.Type{Code: wire.Array, Element: bytes1, CountField: 1}}}}), codec.ErrNotExpressible},
		{"TYP-016 types of v6", only45, defining(codec.Metadata{Fields: oneField(wire.VarInt)}), codec.ErrNotExpressible},
		{"TYP-016 array of types of v6", only45, defining(codec.Metadata{Fields: arrayOf(wire.Array, &codec.Type{Code: wire.UTF8CodeUnit})}), codec.ErrNotExpressible},
		{"TYP-017 array in v4", []wire.Format{formatV4}, defining(codec.Metadata{Fields: arrayOf(wire.Array, bytes1)}), codec.ErrNotExpressible},
		{"TYP-008 locator of text", only6, defining(codec.Metadata{Fields: arrayOf(wire.RelLoc, &codec.Type{Code: wire.NullTerminatedUTF16String})}), codec.ErrNotExpressible},
		{"TYP-008 locator of objects with text", only6, defining(codec.Metadata{Fields: arrayOf(wire.DataLoc, &codec.Type{Code: wire.Object, Fields: oneField(wire.NullTerminatedUTF16String)})}), codec.ErrNotExpressible},
		{"TYP-014 code unit in Universal.System", only6, defining(codec.Metadata{Provider: "Universal.System", Fields: oneField(wire.UTF8CodeUnit)}), codec.ErrNotExpressible},
		// MD, OPT, LIM: metadata rows.
		{"MD-014 provider name", nil, defining(codec.Metadata{Provider: invalid}), codec.ErrNotExpressible},
		{"MD-014 event name", nil, defining(codec.Metadata{Name: invalid}), codec.ErrNotExpressible},
		{"MD-014 field name", nil, defining(codec.Metadata{Fields: []codec.Field{{Name: invalid, Type: codec.Type{Code: wire.Byte}}}}), codec.ErrNotExpressible},
		{"MD-014 name of an inner field", nil, defining(codec.Metadata{Fields: []codec.Field{{Name: "f", Type: codec.Type{Code: wire.Object, Fields: []codec.Field{{Name: invalid, Type: codec.Type{Code: wire.Byte}}}}}}}), codec.ErrNotExpressible},
		{"MD4-004 half a surrogate pair", nil, defining(codec.Metadata{Name: "a\xed\xa0\xbd"}), codec.ErrNotExpressible},
		{"MD4-004 zero in a name", only45, defining(codec.Metadata{Name: "a\x00b"}), codec.ErrNotExpressible},
		{"OPT-010 message", only6, defining(codec.Metadata{Message: invalid}), codec.ErrNotExpressible},
		{"OPT-010 description", only6, defining(codec.Metadata{Description: invalid}), codec.ErrNotExpressible},
		{"OPT-010 key of an attribute", only6, defining(codec.Metadata{Attributes: []codec.KeyValue{{Key: invalid}}}), codec.ErrNotExpressible},
		{"OPT-010 value of an attribute", only6, defining(codec.Metadata{Attributes: []codec.KeyValue{{Key: "k", Value: invalid}}}), codec.ErrNotExpressible},
		{"LIM-001 a row above the reader's limit", only45, defining(codec.Metadata{Name: strings.Repeat("n", 17<<20)}), codec.ErrLimit},
		{"LIM-009 a row that takes too much to decode", only45, defining(codec.Metadata{Name: strings.Repeat("n", 2<<20)}), codec.ErrLimit},
		{"MD-004 a row above 16 bits", only6, defining(codec.Metadata{Name: strings.Repeat("n", 1<<16)}), codec.ErrLimit},
		{"LIM-003 10,001 fields", nil, defining(codec.Metadata{Fields: make([]codec.Field, 10_001)}), codec.ErrLimit},
		{"LIM-004 33 types deep", []wire.Format{formatV5, formatV6}, defining(codec.Metadata{Fields: nested(33)}), codec.ErrLimit},
		{"LIM-002 65,537 rows", nil, func(w *codec.Writer) error {
			var err error
			for i := uint32(0); i < 1<<17 && err == nil; i++ {
				_, err = w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 100 + i})
			}
			return err
		}, codec.ErrLimit},
		// THR, RMT: threads.
		{"THR-001 a row above 16 bits", only6, adding(codec.Thread{Name: strings.Repeat("n", 1<<16)}), codec.ErrLimit},
		{"THR-008 thread name", only6, adding(codec.Thread{Name: invalid}), codec.ErrNotExpressible},
		{"THR-008 key of an attribute", only6, adding(codec.Thread{Attributes: []codec.KeyValue{{Key: invalid}}}), codec.ErrNotExpressible},
		{"THR-008 value of an attribute", only6, adding(codec.Thread{Attributes: []codec.KeyValue{{Key: "k", Value: invalid}}}), codec.ErrNotExpressible},
		{"THR-009 thread that is not defined", only6, event(func(r *codec.Record) { r.Thread = 9 }), codec.ErrUndefined},
		{"THR-010 capture thread that is not defined", only6, event(func(r *codec.Record) { r.CaptureThread = 9 }), codec.ErrUndefined},
		{"RMT-002 removal of a thread that is not defined", only6, func(w *codec.Writer) error { return w.RemoveThread(9) }, codec.ErrUndefined},
		{"RMT-003 second removal", only6, func(w *codec.Writer) error {
			index, _ := w.AddThread(&codec.Thread{})
			if err := w.RemoveThread(index); err != nil {
				return errors.New("first removal refused")
			}
			return w.RemoveThread(index)
		}, codec.ErrUndefined},
		{"RMT-006 event after removal", only6, func(w *codec.Writer) error {
			index, _ := w.AddThread(&codec.Thread{})
			if err := w.RemoveThread(index); err != nil {
				return errors.New("removal refused")
			}
			return w.Write(&codec.Record{MetadataID: 1, Thread: index, CaptureThread: 1, Timestamp: 20})
		}, codec.ErrUndefined},
		// REF: metadata.
		{"REF-001 metadata that is not defined", nil, event(func(r *codec.Record) { r.MetadataID = 9 }), codec.ErrUndefined},
		{"CMP-014 UNC-006 metadata 0", nil, event(func(r *codec.Record) { r.MetadataID = 0 }), codec.ErrUndefined},
		// LBL: labels.
		{"LBL-003 kind 0", nil, event(func(r *codec.Record) { r.Labels = []codec.Label{{}} }), codec.ErrNotExpressible},
		{"LBL-003 kind 11", nil, event(func(r *codec.Record) { r.Labels = []codec.Label{{Kind: 11}} }), codec.ErrNotExpressible},
		{"LBL-004 kind with the bit of the last label", nil, event(func(r *codec.Record) { r.Labels = []codec.Label{{Kind: wire.LabelLevel | wire.LastLabel}} }), codec.ErrNotExpressible},
		{"LBL-007 key", nil, event(func(r *codec.Record) { r.Labels = []codec.Label{{Kind: wire.LabelKeyNumber, Key: invalid}} }), codec.ErrNotExpressible},
		{"LBL-007 value", nil, event(func(r *codec.Record) {
			r.Labels = []codec.Label{{Kind: wire.LabelKeyString, Key: "k", Value: invalid}}
		}), codec.ErrNotExpressible},
		{"level above a byte", nil, event(func(r *codec.Record) { r.Labels = []codec.Label{{Kind: wire.LabelLevel, Number: 256}} }), codec.ErrNotExpressible},
		{"labels in v4", only45, event(func(r *codec.Record) { r.Labels = []codec.Label{{Kind: wire.LabelKeywords}} }), codec.ErrNotExpressible},
		{"LIM-008 too many labels", only6, event(func(r *codec.Record) {
			for range 1 << 18 {
				r.Labels = append(r.Labels, codec.Label{Kind: wire.LabelKeywords, Number: 1})
			}
		}), codec.ErrLimit},
		{"LIM-001 a label list above a block", only6, event(func(r *codec.Record) {
			r.Labels = []codec.Label{{Kind: wire.LabelKeyString, Key: "k", Value: strings.Repeat("v", 9<<20)}}
		}), codec.ErrLimit},
		// ORD, SQP: time.
		{"ORD-001 before the last event of the thread", nil, event(func(r *codec.Record) { r.Timestamp = 9 }), codec.ErrOrder},
		{"ORD-002 before a sorted event", nil, func(w *codec.Writer) error {
			return errors.Join(
				onOther(w, codec.Record{MetadataID: 1, Timestamp: 20, Sorted: true}),
				w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 19}))
		}, codec.ErrOrder},
		{"ORD-002 before a sorted event of an older block", nil, func(w *codec.Writer) error {
			return errors.Join(
				onOther(w, codec.Record{MetadataID: 1, Timestamp: 20, Sorted: true}), w.Flush(),
				w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 19}))
		}, codec.ErrOrder},
		{"SQP-004 before a sequence point", nil, func(w *codec.Writer) error {
			return errors.Join(w.SequencePoint(20), w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 19}))
		}, codec.ErrOrder},
		{"SQP-003 point before an event", nil, func(w *codec.Writer) error { return w.SequencePoint(9) }, codec.ErrOrder},
		{"SQP-002 point before a point", nil, func(w *codec.Writer) error {
			return errors.Join(w.SequencePoint(25), w.SequencePoint(24))
		}, codec.ErrOrder},
		// SEQ: numbers.
		{"SEQ-002 SEQ-004 number repeats", nil, event(func(r *codec.Record) { r.Sequence = 7 }), codec.ErrSequence},
		{"SEQ-002 SEQ-004 number goes back", nil, event(func(r *codec.Record) { r.Sequence = 5 }), codec.ErrSequence},
		{"SEQ-010 number 1 again", only6, event(func(r *codec.Record) { r.Sequence = 1 }), codec.ErrSequence},
		{"SEQ-002 SEQ-004 number is dropped already", nil, func(w *codec.Writer) error {
			return errors.Join(w.Drop(1, 10), w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 20, Sequence: 17}))
		}, codec.ErrSequence},
		{"SEQ-002 2^32-1 drops", nil, func(w *codec.Writer) error { return w.Drop(1, math.MaxUint32) }, codec.ErrLimit},
		{"SEQ-002 2^32-1 drops in pieces", nil, func(w *codec.Writer) error {
			return errors.Join(w.Drop(1, 1<<31), w.Drop(1, 1<<31-1))
		}, codec.ErrLimit},
		{"THR-010 drop on a thread that is not defined", only6, func(w *codec.Writer) error { return w.Drop(9, 1) }, codec.ErrUndefined},
		// STK, LIM: sizes.
		{"LIM-001 payload above a block", nil, event(func(r *codec.Record) { r.Payload = make([]byte, 17<<20) }), codec.ErrLimit},
		{"LIM-006 stack above a block", nil, event(func(r *codec.Record) { r.Stack = make([]uint64, 5<<20) }), codec.ErrLimit},
		// PAY: payloads.
		{"PAY-001 payload too short", nil, withPayload(oneField(wire.Int32), 1, 2, 3), codec.ErrPayload},
		{"PAY-003 payload too long", nil, withPayload(oneField(wire.Int32), 1, 2, 3, 4, 5), codec.ErrPayload},
		{"PAY-001 no payload", nil, withPayload(oneField(wire.Int32)), codec.ErrPayload},
		{"PAY-002 Boolean of one byte", nil, withPayload(oneField(wire.Boolean), 1), codec.ErrPayload},
		{"PAY-006 text without end", nil, withPayload(oneField(wire.NullTerminatedUTF16String), 'a', 0, 'b', 0), codec.ErrPayload},
		{"PAY-003 bytes after text", nil, withPayload(oneField(wire.NullTerminatedUTF16String), 'a', 0, 0, 0, 9), codec.ErrPayload},
		{"PAY-008 array too short", []wire.Format{formatV5, formatV6}, withPayload(arrayOf(wire.Array, bytes1), 3, 0, 1, 2), codec.ErrPayload},
		{"PAY-010 number of 11 bytes", only6, withPayload(oneField(wire.VarUInt), 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1), codec.ErrPayload},
		{"PAY-011 locator past the payload", only6, withPayload(arrayOf(wire.RelLoc, bytes1), 0, 0, 1, 0), codec.ErrPayload},
		{"PAY-012 locator past the payload", only6, withPayload(arrayOf(wire.DataLoc, bytes1), 4, 0, 1, 0), codec.ErrPayload},
		{"PAY-013 half an element", only6, withPayload(arrayOf(wire.RelLoc, &codec.Type{Code: wire.Int16}), 0, 0, 1, 0, 9), codec.ErrPayload},
		{"PAY-015 DateTime of 12 bytes", nil, withPayload(oneField(wire.DateTime), make([]byte, 12)...), codec.ErrPayload},
		{"PAY-021 Decimal of 8 bytes", nil, withPayload(oneField(wire.Decimal), make([]byte, 8)...), codec.ErrPayload},
		{"PAY-022 Byte of 4 bytes", nil, withPayload(oneField(wire.Byte), 1, 0, 0, 0), codec.ErrPayload},
	}
}

// onOther writes a record on another capture thread than 1.
func onOther(w *codec.Writer, rec codec.Record) error {
	index, err := w.AddThread(&codec.Thread{Name: "other"})
	if errors.Is(err, codec.ErrNotExpressible) {
		index, err = 77, nil
	}
	if err != nil {
		return err
	}
	rec.Thread, rec.CaptureThread = index, index
	return w.Write(&rec)
}

// TestWriterMisuse tries each misuse in each version: it is refused with its
// error, the Writer continues, and the checker finds no error in the file.
func TestWriterMisuse(t *testing.T) {
	shared.SkipRace(t)
	for _, c := range misuses() {
		formats := c.formats
		if formats == nil {
			formats = []wire.Format{formatV4, formatV5, formatV6}
		}
		for _, format := range formats {
			for _, plain := range []bool{false, true} {
				name := c.name + " in v" + format.String()
				if plain {
					name += " uncompressed"
				}
				t.Run(name, func(t *testing.T) { tryMisuse(t, c, format, plain) })
			}
		}
	}
}

func tryMisuse(t *testing.T, c misuse, format wire.Format, plain bool) {
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: format, Trace: clock, Uncompressed: plain})
	define(t, w, format)
	if format == formatV6 {
		if _, err := w.DefineThread(&codec.Thread{Name: "main"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 10, Sequence: 7}); err != nil {
		t.Fatal(err)
	}
	err := c.do(w)
	if !errors.Is(err, c.want) {
		t.Errorf("got error %v, want %v", err, c.want)
	}
	expect.NotZero(t, "error", err)
	expect.Stop(t)
	if !strings.HasPrefix(strings.TrimPrefix(err.Error(), "limit exceeded: "), "codec: ") && !errors.Is(err, codec.ErrLimit) {
		t.Errorf("error %q does not begin with the package", err)
	}
	if err := w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 30}); err != nil {
		t.Errorf("next event: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if got := drain(codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true})); got.err != nil || got.events < 2 {
		t.Errorf("read %d events, error %v; want 2 events", got.events, got.err)
	}
	noErrors(t, out.Bytes())
}

// TestWriterMisuseOfOptions tries traces that no reader can use: every call
// returns the error and nothing is written.
func TestWriterMisuseOfOptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*codec.Trace)
	}{
		{"TRC-002 no SyncTime", func(t *codec.Trace) { t.SyncTime = time.Time{} }},
		{"TRC-002 year 10000", func(t *codec.Trace) { t.SyncTime = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"TRC-005 no TickFrequency", func(t *codec.Trace) { t.TickFrequency = 0 }},
		{"TRC-008 pointers of 2 bytes", func(t *codec.Trace) { t.PointerSize = 2 }},
		{"TRC-011 key", func(t *codec.Trace) { t.Properties = []codec.KeyValue{{Key: invalid}} }},
		{"TRC-011 value", func(t *codec.Trace) { t.Properties = []codec.KeyValue{{Key: "k", Value: invalid}} }},
		{"BLK-004 block above 24 bits", func(t *codec.Trace) {
			t.Properties = []codec.KeyValue{{Key: "k", Value: strings.Repeat("v", 17<<20)}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, format := range []wire.Format{formatV4, formatV6} {
				t.Run(fmt.Sprint(format), func(t *testing.T) {
					trace := clock
					c.change(&trace)
					var out bytes.Buffer
					w := codec.NewWriter(&out, codec.WriterOptions{Format: format, Trace: trace})
					_, err := w.DefineMetadata(&codec.Metadata{Provider: "P"})
					for _, err := range []error{err, w.Err(), w.Flush(), w.Close()} {
						if !errors.Is(err, codec.ErrNotExpressible) && !errors.Is(err, codec.ErrLimit) {
							t.Errorf("v%v: got error %v, want ErrNotExpressible or ErrLimit", format, err)
						}
					}
					if out.Len() > 0 {
						t.Errorf("v%v: %d bytes written, want none", format, out.Len())
					}
				})
			}
		})
	}
}

// TestWriterAfterClose calls everything after Close.
func TestWriterAfterClose(t *testing.T) {
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Trace: clock})
	define(t, w, wire.Format{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	size := out.Len()
	_, metadata := w.DefineMetadata(&codec.Metadata{Provider: "Q"})
	_, defined := w.DefineThread(&codec.Thread{Name: "t"})
	_, added := w.AddThread(&codec.Thread{Name: "t"})
	for name, err := range map[string]error{
		"Write": w.Write(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1}), "Drop": w.Drop(1, 1), "Flush": w.Flush(),
		"SequencePoint": w.SequencePoint(1), "RemoveThread": w.RemoveThread(1), "DefineMetadata": metadata,
		"DefineThread": defined, "AddThread": added, "Err": w.Err(),
	} {
		t.Run(name, func(t *testing.T) {
			if !errors.Is(err, codec.ErrClosed) {
				t.Errorf("got error %v, want ErrClosed", err)
			}
		})
	}
	if err := w.Close(); err != nil {
		t.Errorf("second Close: %v, want nil", err)
	}
	if out.Len() != size {
		t.Errorf("%d bytes written after Close, want none", out.Len()-size)
	}
	noErrors(t, out.Bytes())
}

// TestWriterPassOn writes with PassOn what is refused without it.
func TestWriterPassOn(t *testing.T) {
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{PassOn: true})
	id, err := w.DefineMetadata(&codec.Metadata{Provider: invalid, Fields: oneField(wire.Int32)})
	thread, threadErr := w.DefineThread(&codec.Thread{Name: invalid})
	err = errors.Join(err, threadErr,
		w.Write(&codec.Record{MetadataID: id, Thread: thread, CaptureThread: thread, Timestamp: 1, Sequence: 7, Payload: []byte{1}}),
		w.Write(&codec.Record{MetadataID: id, Thread: thread, CaptureThread: thread, Timestamp: 1, Sequence: 3, Payload: []byte{1}}),
		w.Close())
	if err != nil {
		t.Fatal(err)
	}
	if got := drain(codec.NewBytesReader(out.Bytes(), codec.Options{})); got.events != 2 {
		t.Errorf("read %d events, want 2", got.events)
	}
}

// TestWriterPayloadAllocs writes events with checked payloads: fields of fixed
// and of variable size cost no allocation.
func TestWriterPayloadAllocs(t *testing.T) {
	for name, c := range map[string]struct {
		fields  []codec.Field
		payload []byte
	}{
		"fixed":    {oneField(wire.Int32), make([]byte, 4)},
		"text":     {oneField(wire.NullTerminatedUTF16String), []byte{'a', 0, 'b', 0, 0, 0}},
		"array":    {arrayOf(wire.Array, &codec.Type{Code: wire.NullTerminatedUTF16String}), []byte{2, 0, 'a', 0, 0, 0, 0, 0}},
		"DateTime": {oneField(wire.DateTime), make([]byte, 16)},
	} {
		t.Run(name, func(t *testing.T) {
			w := codec.NewWriter(io.Discard, codec.WriterOptions{Trace: clock})
			define(t, w, wire.Format{})
			id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 2, Fields: c.fields})
			if err != nil {
				t.Fatal(err)
			}
			rec := codec.Record{MetadataID: id, Thread: 1, CaptureThread: 1, Timestamp: 1, Payload: c.payload}
			for range 40_000 { // the block and the marks have their size
				err = errors.Join(err, w.Write(&rec))
			}
			allocs := testing.AllocsPerRun(10_000, func() { err = errors.Join(err, w.Write(&rec)) })
			if err != nil {
				t.Fatal(err)
			}
			if allocs != 0 {
				t.Errorf("%v allocations an event, want none", allocs)
			}
		})
	}
}
