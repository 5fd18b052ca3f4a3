package clr_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

// encoding is the type of the fields of an event.
type encoding interface {
	Append(b []byte, version uint32, pointerSize int) []byte
}

// TestReaders encodes each version of each event that is interpreted, with random
// fields, and reads it with the event's reader. Where the table has the event, its
// schema reads the same values.
func TestReaders(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, of := range readers {
		for _, version := range of.versions {
			for _, pointer := range []int{4, 8} {
				fields := reflect.New(reflect.TypeOf(of.fields).Elem()).Elem()
				schema, known := clr.Lookup(of.kind.Provider(), of.kind.ID(), version)
				if !known {
					schema, known = clr.LookupName(of.kind.Provider(), of.kind.String(), version)
				}
				bits := 32
				if version == 0 {
					bits = 16 // some fields became wider
				}
				fill(random, fields, bits)
				newest, _ := clr.Lookup(of.kind.Provider(), of.kind.ID(), of.versions[len(of.versions)-1])
				if newest != nil {
					count(fields, newest.Fields)
				}
				payload := fields.Addr().Interface().(encoding).Append(nil, version, pointer)
				read := reflect.ValueOf(of.read(eventOf(t, of.kind, version, pointer, payload)))
				if read.MethodByName("Short").Call(nil)[0].Bool() {
					t.Errorf("%s version %d, pointers of %d bytes: the payload is short", of.kind, version, pointer)
				}
				has := map[string]bool{}
				if known {
					members, used, err := decode(payload, pointer, schema.Fields)
					if err != nil || used != len(payload) {
						t.Fatalf("%s version %d, pointers of %d bytes: %d bytes, the schema has %d (%v)", of.kind, version, pointer, len(payload), used, err)
					}
					for _, m := range members {
						has[m.name] = true
					}
				}
				for i := range fields.NumField() {
					name := fields.Type().Field(i).Name
					method := read.MethodByName(name)
					if !method.IsValid() || fields.Field(i).Kind() == reflect.Slice {
						continue // an array or after one
					}
					want := fields.Field(i).Interface()
					if newest != nil && !has[newest.Fields[i].Name] || newest == nil && later(read, name) {
						want = reflect.Zero(fields.Type().Field(i).Type).Interface()
					}
					if got := comparable(method.Call(nil)[0].Interface(), want); got != want {
						t.Errorf("%s version %d, pointers of %d bytes: %s is %v, want %v", of.kind, version, pointer, name, got, want)
					}
				}
			}
		}
	}
}

// later reports whether an event that traces describe does not have a field of a later
// version.
func later(read reflect.Value, name string) bool {
	has := read.MethodByName("Has" + name)
	return has.IsValid() && !has.Call(nil)[0].Bool()
}

// comparable makes the text of a field as it is read, in UTF-16 or UTF-8, that of one
// that is encoded.
func comparable(got, want any) any {
	b, isText := got.([]byte)
	switch {
	case !isText:
		return got
	case want == utf8Text:
		return string(b)
	}
	return string(wire.AppendUTF16(nil, b))
}

const utf8Text = "counted"

// fill sets fields to random values, numbers to ones of so many bits.
func fill(random *rand.Rand, v reflect.Value, bits int) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch f.Kind() {
		case reflect.Bool:
			f.SetBool(random.Uint32()&1 == 0)
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			f.SetUint(uint64(random.Uint32()) >> (32 - min(bits, f.Type().Bits())))
		case reflect.Int32, reflect.Int64:
			f.SetInt(int64(int32(random.Uint32())))
		case reflect.Float64:
			f.SetFloat(random.Float64())
		case reflect.String:
			f.SetString([]string{"", "a", "Grüße", "😀"}[random.IntN(4)])
		case reflect.Array:
			f.Index(random.IntN(f.Len())).SetUint(uint64(random.Uint32() & 0xff))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 3, 3))
			for i := range f.Len() {
				if f.Index(i).Kind() == reflect.Struct {
					fill(random, f.Index(i), bits)
				}
			}
		}
	}
}

// count sets the fields that count the elements of arrays.
func count(v reflect.Value, fields []codec.Field) {
	for i := range fields {
		t := &fields[i].Type
		if t.Code == wire.NullTerminatedUTF8String || t.Code == wire.CountedUTF8String {
			v.Field(i).SetString(utf8Text)
		}
		if t.Code != wire.Array {
			continue
		}
		if t.CountField > 0 {
			v.Field(t.CountField - 1).SetUint(uint64(v.Field(i).Len()))
		}
		if t.Element.Code == wire.Object {
			for j := range v.Field(i).Len() {
				count(v.Field(i).Index(j), t.Element.Fields)
			}
		}
	}
}

// eventOf returns an event of a trace.
func eventOf(t *testing.T, kind clr.Kind, version uint32, pointer int, payload []byte) *codec.Event {
	b := gen.NewBuilder(gen.BuilderOptions{Trace: codec.Trace{TickFrequency: 1e9, PointerSize: pointer}})
	id := b.Metadata(&codec.Metadata{Provider: kind.Provider(), EventID: kind.ID(), Name: kind.String(), Version: version})
	b.Event(&codec.EventRow{MetadataID: id, Payload: payload, Processor: wire.UnknownProcessor})
	ev, ok := codec.NewBytesReader(b.Trace().Bytes(), codec.Options{}).Next()
	if !ok {
		t.Fatalf("%s version %d: no event", kind, version)
	}
	if got := clr.KindOf(ev.Metadata()); got != kind {
		t.Errorf("the kind of %s is %s", kind, got)
	}
	return ev.Clone()
}

// TestReadersOfCutPayloads reads each event with each length of its payload: no
// field is read past the end.
func TestReadersOfCutPayloads(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, of := range readers {
		fields := reflect.New(reflect.TypeOf(of.fields).Elem()).Elem()
		fill(random, fields, 32)
		version := of.versions[len(of.versions)-1]
		payload := fields.Addr().Interface().(encoding).Append(nil, version, 8)
		for cut := range payload {
			read := reflect.ValueOf(of.read(eventOf(t, of.kind, version, 8, payload[:cut:cut])))
			for i := range read.NumMethod() {
				method, in := read.Method(i), []reflect.Value(nil)
				if method.Type().NumIn() == 1 {
					in = []reflect.Value{reflect.ValueOf(2)}
				}
				for _, row := range method.Call(in) {
					for j := range row.NumMethod() {
						if row.Kind() == reflect.Struct {
							row.Method(j).Call(nil)
						}
					}
				}
			}
		}
	}
}
