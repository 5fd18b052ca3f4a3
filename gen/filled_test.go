package gen_test

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"time"

	fuzz "github.com/google/gofuzz"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// filled is an event whose Go values gofuzz has filled: its description, its thread and its
// record.
type filled struct {
	Metadata codec.Metadata
	Thread   codec.Thread
	Record   codec.Record

	values []string // of the payload
}

// filler fills values that a version of the format can express.
func filler(format wire.Format, seed int64) *fuzz.Fuzzer {
	depth, ticks := 0, uint64(0)
	fillType := func(t *codec.Type, c fuzz.Continue) {
		depth++
		defer func() { depth-- }()
		*t = codec.Type{}
		// Readers guess the size of a Decimal; locators have values outside of the fields.
		for !format.HasType(t.Code) || t.Code == wire.Decimal || t.Code == wire.RelLoc || t.Code == wire.DataLoc ||
			t.Code.HasElement() && !format.HasOpcodes() || // both are tags
			depth > 3 && (t.Code == wire.Object || t.Code.HasElement()) {
			t.Code = wire.TypeCode(1 + c.Intn(26))
		}
		switch {
		case t.Code == wire.Object:
			t.Fields = make([]codec.Field, 1+c.Intn(3))
			c.Fuzz(&t.Fields)
		case t.Code.HasElement():
			t.Element = new(codec.Type)
			c.Fuzz(t.Element)
			if t.Code == wire.FixedLengthArray {
				t.Count = uint16(1 + c.Intn(3))
			}
		}
	}
	return fuzz.NewWithSeed(seed).NilChance(0.3).NumElements(1, 4).Funcs(
		func(s *string, c fuzz.Continue) { *s = name(c) },
		fillType,
		func(m *codec.Metadata, c fuzz.Continue) {
			c.FuzzNoCustom(m)
			m.ID, m.V2Params, m.Provider, m.EventID, m.Level = 0, false, "P"+m.Provider, 1+m.EventID%1e6, m.Level%6
			if m.OpcodeSet = m.OpcodeSet && format.HasOpcodes(); !m.OpcodeSet {
				m.Opcode = 0
			}
			if format.HasOptionalMetadata() {
				m.Version %= 256
			} else {
				m.ProviderGUID, m.Message, m.Description, m.Attributes = wire.GUID{}, "", "", nil
			}
		},
		func(l *codec.Label, c fuzz.Continue) {
			*l = codec.Label{Kind: wire.LabelKind(1 + c.Intn(10))}
			switch l.Kind {
			case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
				c.Fuzz(&l.GUID)
			case wire.LabelKeyString:
				l.Key, l.Value = name(c), name(c)
			case wire.LabelKeyNumber:
				l.Key, l.Number = name(c), c.Uint64()
			case wire.LabelOpcode, wire.LabelLevel, wire.LabelVersion:
				l.Number = uint64(c.Intn(200))
			default:
				l.Number = c.Uint64()
			}
		},
		func(r *codec.Record, c fuzz.Continue) {
			c.FuzzNoCustom(r)
			ticks += uint64(c.Intn(1000))
			r.MetadataID, r.Sequence, r.Timestamp, r.Sorted, r.Payload = 0, 0, ticks, false, nil
			r.Processor %= 64
			if r.Thread = 1 + r.Thread%5; format.HasLabelLists() {
				r.Activity, r.Related = wire.GUID{}, wire.GUID{}
			} else {
				r.Labels = nil
			}
			r.CaptureThread = r.Thread
			for i := range r.Stack {
				r.Stack[i] &= 1<<32 - 1 // of a process with pointers of 4 bytes
			}
		},
		func(o *codec.WriterOptions, c fuzz.Continue) {
			*o = codec.WriterOptions{
				Format: format, Uncompressed: c.RandBool(), Ordered: c.RandBool(), MixedThreads: c.RandBool(), BlockBytes: 1 + c.Intn(2000),
				Trace: codec.Trace{SyncTime: time.Unix(1e9, 0).UTC(), TickFrequency: 1e9, PointerSize: 4 + 4*c.Intn(2)},
			}
		},
	)
}

// name returns text without a zero character.
func name(c fuzz.Continue) string {
	runes := make([]rune, c.Intn(6))
	for i := range runes {
		runes[i] = []rune("aZ0.é界😀 `")[c.Intn(9)]
	}
	return string(runes)
}

// encode encodes a value of a type with the method of its type, and appends its text to
// values: nothing for code units and times.
func encode(e *codec.EventEncoder, t *codec.Type, c *fuzz.Fuzzer, values *[]string) {
	switch t.Code {
	case wire.Object:
		e.Object()
		for i := range t.Fields {
			encode(e, &t.Fields[i].Type, c, values)
		}
		e.End()
	case wire.Array, wire.FixedLengthArray:
		n := int(t.Count)
		if t.Code == wire.Array {
			var b uint8
			c.Fuzz(&b)
			n = int(b % 4)
		}
		e.Array()
		for range n {
			encode(e, t.Element, c, values)
		}
		e.End()
	case wire.Boolean, wire.Boolean8:
		e.Bool(noted[bool](c, values))
	case wire.SByte:
		e.Int8(noted[int8](c, values))
	case wire.Byte:
		e.Uint8(noted[uint8](c, values))
	case wire.UTF8CodeUnit:
		e.UTF8CodeUnit(value[uint8](c))
	case wire.UTF16CodeUnit:
		e.UTF16CodeUnit(value[uint16](c))
	case wire.Int16:
		e.Int16(noted[int16](c, values))
	case wire.UInt16:
		e.Uint16(noted[uint16](c, values))
	case wire.Int32:
		e.Int32(noted[int32](c, values))
	case wire.UInt32:
		e.Uint32(noted[uint32](c, values))
	case wire.Int64:
		e.Int64(noted[int64](c, values))
	case wire.UInt64:
		e.Uint64(noted[uint64](c, values))
	case wire.Single:
		e.Float32(noted[float32](c, values))
	case wire.Double:
		e.Float64(noted[float64](c, values))
	case wire.GUIDCode:
		e.GUID(noted[wire.GUID](c, values))
	case wire.DateTime:
		e.DateTime(time.Unix(int64(value[uint32](c)), 0))
	case wire.NullTerminatedUTF16String:
		e.String(noted[string](c, values))
	case wire.VarInt:
		e.VarInt(noted[int64](c, values))
	case wire.VarUInt:
		e.VarUint(noted[uint64](c, values))
	default:
		panic(fmt.Sprintf("no method for %v", t.Code))
	}
}

// value returns a random value.
func value[T any](f *fuzz.Fuzzer) (v T) {
	f.Fuzz(&v)
	return v
}

// noted returns a random value, and appends its text to values.
func noted[T any](f *fuzz.Fuzzer, values *[]string) T {
	v := value[T](f)
	*values = append(*values, fmt.Sprint(v))
	return v
}

// decoded appends the texts of a value as encode does.
func decoded(v codec.Value, values []string) []string {
	switch code := v.Code(); {
	case code == wire.NullTerminatedUTF16String:
		return append(values, v.Text())
	case code == wire.Object:
		for _, field := range v.Fields() {
			values = decoded(field, values)
		}
	case v.IsArray():
		for element := range v.Elements() {
			values = decoded(element, values)
		}
	case code == wire.Boolean, code == wire.Boolean8:
		return append(values, fmt.Sprint(v.Bool()))
	case code == wire.Single:
		return append(values, fmt.Sprint(float32(v.Float64())))
	case code == wire.Double:
		return append(values, fmt.Sprint(v.Float64()))
	case code == wire.GUIDCode:
		return append(values, fmt.Sprint(v.GUID()))
	case code == wire.SByte, code == wire.Int16, code == wire.Int32, code == wire.Int64, code == wire.VarInt:
		return append(values, fmt.Sprint(v.Int64()))
	case code == wire.Byte, code == wire.UInt16, code == wire.UInt32, code == wire.UInt64, code == wire.VarUInt:
		return append(values, fmt.Sprint(v.Uint64()))
	}
	return values
}

// write writes events. With a filler their payloads are encoded field by field.
func write(list []filled, opt codec.WriterOptions, f *fuzz.Fuzzer) ([]byte, error) {
	var out bytes.Buffer
	w := codec.NewWriter(&out, opt)
	for i := range list {
		m, rec := &list[i].Metadata, list[i].Record
		kind, err := w.DefineEvent(m)
		if err != nil {
			return nil, fmt.Errorf("event %d: DefineEvent of %+v: %w", i, m, err)
		}
		if opt.Format.HasThreadTable() {
			if rec.Thread, err = w.DefineThread(&list[i].Thread); err != nil {
				return nil, fmt.Errorf("event %d: DefineThread of %+v: %w", i, list[i].Thread, err)
			}
			rec.CaptureThread = rec.Thread
		}
		if rec.MetadataID = kind.MetadataID(); f == nil {
			err = w.Write(&rec)
		} else {
			e := kind.Event().Thread(rec.Thread).Timestamp(rec.Timestamp).Processor(rec.Processor).Stack(rec.Stack).Labels(rec.Labels).
				Activity(rec.Activity).Related(rec.Related)
			for j := range m.Fields {
				encode(e, &m.Fields[j].Type, f, &list[i].values)
			}
			err = e.Write()
		}
		if err != nil {
			return nil, fmt.Errorf("event %d of %+v: %w", i, m, err)
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// read reads what write has written.
func read(data []byte, format wire.Format) (list []filled, err error) {
	r := codec.NewBytesReader(data, codec.Options{})
	for e, err := range r.Events() {
		if err != nil {
			return nil, err
		}
		m := e.Metadata()
		f := filled{Record: codec.Record{
			Timestamp: e.Timestamp, Processor: e.Processor, Thread: e.ThreadIndex, CaptureThread: e.CaptureThreadIndex,
			Stack: append([]uint64(nil), e.Stack()...), Payload: bytes.Clone(e.Payload()),
		}}
		f.Metadata = codec.Metadata{
			Provider: m.Provider, ProviderGUID: m.ProviderGUID, EventID: m.EventID, Name: m.Name, Keywords: m.Keywords, Version: m.Version, Level: m.Level,
			Opcode: m.Opcode, OpcodeSet: m.OpcodeSet, V2Params: m.V2Params, Message: m.Message, Description: m.Description, Attributes: m.Attributes, Fields: m.Fields,
		}
		for _, v := range e.Fields() {
			f.values = decoded(v, f.values)
		}
		if err := e.FieldsError(); err != nil {
			return nil, err
		}
		if format.HasThreadTable() {
			f.Record.Labels = append([]codec.Label(nil), e.Labels()...)
			f.Thread = *e.Thread()
		} else {
			f.Record.Activity, f.Record.Related = e.Activity(), e.RelatedActivity()
		}
		list = append(list, f)
	}
	return list, nil
}

// TestFilledRoundTrip fills events, descriptions, threads, label lists and options by
// reflection, writes them with EventEncoder, reads them, and writes what was read: the values
// are those that were filled, and the second file has the bytes of the first.
func TestFilledRoundTrip(t *testing.T) {
	for seed := range int64(300) {
		for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
			f := filler(format, seed)
			var opt codec.WriterOptions
			var list []filled
			f.Fuzz(&opt)
			f.NilChance(0).Fuzz(&list)
			data, err := write(list, opt, f)
			if err != nil {
				t.Fatalf("seed %d, %v: %v", seed, format, err)
			}
			got, err := read(data, format)
			if err != nil || len(got) != len(list) {
				t.Fatalf("seed %d, %v: read %d of %d events: %v", seed, format, len(got), len(list), err)
			}
			for i := range got {
				a, b := &list[i], &got[i]
				if fmt.Sprint(a.values) != fmt.Sprint(b.values) || a.Record.Timestamp != b.Record.Timestamp || a.Record.Processor != b.Record.Processor || a.Metadata.Provider != b.Metadata.Provider ||
					a.Metadata.Name != b.Metadata.Name || a.Metadata.EventID != b.Metadata.EventID || fmt.Sprint(a.Record.Stack) != fmt.Sprint(b.Record.Stack) ||
					len(a.Record.Labels) != len(b.Record.Labels) || len(a.Record.Labels) > 0 && !reflect.DeepEqual(a.Record.Labels, b.Record.Labels) ||
					a.Record.Activity != b.Record.Activity || format.HasThreadTable() && a.Thread.Name != b.Thread.Name {
					t.Fatalf("seed %d, %v, event %d:\nwritten %+v\nread    %+v", seed, format, i, a, b)
				}
			}
			again, err := write(got, opt, nil)
			if err != nil || !bytes.Equal(again, data) {
				t.Fatalf("seed %d, %v: %d bytes, then %d: %v", seed, format, len(data), len(again), err)
			}
		}
	}
}
