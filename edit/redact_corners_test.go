package edit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
)

// TestRedactNeedsSchemas: events of the runtime without a description of their
// fields are not redacted.
func TestRedactNeedsSchemas(t *testing.T) {
	const secret = "/srv/joe/a.dll\x00"
	trace := codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9}
	for _, c := range []struct {
		name     string
		metadata codec.Metadata
		opt      codec.Options
		want     error
	}{
		{"runtime, no schemas", codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntimeRundown", EventID: 154, Version: 2}, codec.Options{}, edit.ErrNoSchemas},
		{"runtime, strict", codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntime", EventID: 152, Version: 2}, codec.Options{Schemas: clr.Schemas, NoLeniency: true}, edit.ErrNoSchemas},
		{"runtime, schemas", codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntimeRundown", EventID: 154, Version: 2}, codec.Options{Schemas: clr.Schemas}, nil},
		{"runtime, fields of its own", codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntime", EventID: 1, Fields: []codec.Field{{Name: "s", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}}}, codec.Options{}, nil},
		{"another provider", codec.Metadata{Provider: "P", EventID: 1}, codec.Options{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := small(t, wire.V6, trace, c.metadata, codec.Record{Payload: utf16Bytes(secret)})
			for mode, redact := range map[string]edit.RedactOptions{"all": {}, "paths": {PathsOnly: true}} {
				t.Run(mode, func(t *testing.T) {
					var out bytes.Buffer
					_, err := edit.Slice(context.Background(), &out, codec.NewBytesBlockReader(data, c.opt), edit.SliceOptions{Redact: edit.NewRedactor(redact)})
					if !errors.Is(err, c.want) {
						t.Errorf("slice, %s: error %v, want %v", mode, err, c.want)
					}
					source := edit.NewMergeSource(bytes.NewReader(data), edit.MergeSourceOptions{Name: "a", Reader: c.opt})
					out.Reset()
					if _, err := edit.Merge(context.Background(), &out, []*edit.MergeSource{source}, edit.MergeOptions{Redact: edit.NewRedactor(redact)}); !errors.Is(err, c.want) {
						t.Errorf("merge, %s: error %v, want %v", mode, err, c.want)
					}
				})
			}
		})
	}
}

// TestRedactPayloads: the redaction of payloads of several types.
func TestRedactPayloads(t *testing.T) {
	text := codec.Field{Name: "s", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}
	line := codec.Field{Name: "CommandLine", Type: text.Type}
	number := codec.Field{Name: "n", Type: codec.Type{Code: wire.UInt32}}
	locator := func(name string, element wire.TypeCode) codec.Field {
		return codec.Field{Name: name, Type: codec.Type{Code: wire.DataLoc, Element: &codec.Type{Code: element}}}
	}
	z := func(s string) string { return string(utf16Bytes(s + "\x00")) }
	for _, c := range []struct {
		name, provider string
		id             uint32
		fields         []codec.Field
		in, all, paths string
	}{
		{"fields that fit", "P", 1, []codec.Field{number, text}, "\x01\x02\x03\x04" + z("ab"), "\x01\x02\x03\x04" + z("**"), "\x01\x02\x03\x04" + z("ab")},
		{"no fields", "P", 1, nil, "ab/home/joe/c", "*************", "ab/home/***/c"},
		{"bytes after the fields", "P", 1, []codec.Field{number}, "\x01\x02\x03\x04x", "*****", "*****"},
		{"bytes after a command line", "P", 1, []codec.Field{line}, z("a") + "x", "*****", "*****"},
		{"too short", "P", 1, []codec.Field{line, number}, z("a") + "x", "*****", "*****"},
		{"text without an end", "P", 1, []codec.Field{text}, "a\x00b\x00", "****", "****"},
		{"empty text", "P", 1, []codec.Field{text}, "\x00\x00", "\x00\x00", "\x00\x00"},
		// A number at the place of a text would keep it.
		{"locators that share bytes", "P", 1, []codec.Field{locator("a", wire.UTF8CodeUnit), locator("b", wire.UInt16)},
			"\x08\x00\x04\x00\x08\x00\x04\x00abcd", "************", "************"},
		{"a locator", "P", 1, []codec.Field{locator("a", wire.UTF8CodeUnit)}, "\x04\x00\x04\x00abcd", "\x04\x00\x04\x00****", "\x04\x00\x04\x00abcd"},
		{"a process", "Universal.System", 1, nil, "\x07\x02\x00ab\x00\x00", "\x07\x02\x00**\x00\x00", "\x07\x02\x00ab\x00\x00"},
		{"a mapping with wrong fields", "Universal.System", 3, []codec.Field{number}, "\x01\x01\x02\x00\x04\x00/a/b\x00", "\x01\x01\x02\x00\x04\x00/*/b\x00", "\x01\x01\x02\x00\x04\x00/*/b\x00"},
		{"a symbol", "Universal.System", 4, nil, "\x01\x01\x02\x03\x04\x00main", "\x01\x01\x02\x03\x04\x00main", "\x01\x01\x02\x03\x04\x00main"},
		{"a truncated symbol", "Universal.System", 4, nil, "\x01\x01\x02\x03\x05\x00main", "**********", "**********"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := codec.Metadata{Provider: c.provider, EventID: c.id, Name: "E", Fields: c.fields}
			data := small(t, wire.V6, codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9}, m, codec.Record{Payload: []byte(c.in)})
			for _, mode := range []struct {
				opt  edit.RedactOptions
				want string
			}{{edit.RedactOptions{}, c.all}, {edit.RedactOptions{PathsOnly: true}, c.paths}} {
				t.Run(fmt.Sprintf("%+v", mode.opt), func(t *testing.T) {
					for e, err := range sliceReader(data).Events() {
						if err != nil {
							t.Fatal(err)
						}
						if got := string(edit.NewRedactor(mode.opt).Payload(e)); got != mode.want {
							t.Errorf("got %q, want %q", got, mode.want)
						}
					}
				})
			}
		})
	}
}

// TestRedactNamingEvent: of an event that names a method, bytes after the declared
// fields are replaced, and the names stay; without Names nothing stays.
func TestRedactNamingEvent(t *testing.T) {
	number := func(name string, code wire.TypeCode) codec.Field {
		return codec.Field{Name: name, Type: codec.Type{Code: code}}
	}
	m := codec.Metadata{Provider: "Microsoft-Windows-DotNETRuntimeRundown", EventID: 144, Version: 1, Fields: []codec.Field{
		number("MethodID", wire.UInt64), number("ModuleID", wire.UInt64), number("MethodStartAddress", wire.UInt64),
		number("MethodSize", wire.UInt32), number("MethodToken", wire.UInt32), number("MethodFlags", wire.UInt32),
		number("MethodNamespace", wire.NullTerminatedUTF16String), number("MethodName", wire.NullTerminatedUTF16String),
		number("MethodSignature", wire.NullTerminatedUTF16String),
	}}
	fields := append(bytes.Repeat([]byte{1}, 36), utf16Bytes("N\x00M\x00S\x00")...)
	data := small(t, wire.V6, codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9, PointerSize: 8}, m, codec.Record{Payload: append(fields, "secretsecret"...)})
	names := symbols.NewNaming(symbols.Options{}).Names
	for e, err := range sliceReader(data).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if got, want := edit.NewRedactor(edit.RedactOptions{Names: names}).Payload(e), append(fields, "************"...); !bytes.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := edit.NewRedactor(edit.RedactOptions{}).Payload(e); len(bytes.Trim(got, "*")) > 0 {
			t.Errorf("without Names: got %q, want asterisks", got)
		}
	}
}

// TestRedactSmallText: a text to be replaced leaves the layout of payloads alone,
// whatever its bytes are.
func TestRedactSmallText(t *testing.T) {
	array := codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.UTF8CodeUnit}}
	m := codec.Metadata{Provider: "Universal.System", EventID: 9, Fields: []codec.Field{{Name: "a", Type: array}}}
	payload := append([]byte{3, 0}, "\x03xy"...)
	data := small(t, wire.V6, codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9}, m, codec.Record{Payload: payload})
	r := edit.NewRedactor(edit.RedactOptions{PathsOnly: true, Texts: []string{"\x03"}})
	for e, err := range sliceReader(data).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(r.Payload(e)), "\x03\x00*xy"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestRedactProperties: numbers that every trace has stay, others do not.
func TestRedactProperties(t *testing.T) {
	for _, c := range []struct{ key, value, all, paths string }{
		{"ProcessId", "12", "12", "12"},
		{codec.SliceFromKey, "99", "99", "99"},
		{"ProcessId", "twelve", "******", "******"},
		{"Source2.ProcessId", "12", "12", "12"},
		{"Source2.SyncTime", "2026-11-22T12:00:00.000Z", "2026-11-22T12:00:00.000Z", "2026-11-22T12:00:00.000Z"},
		{"Source2.SyncTime", "secret", "******", "******"},
		{"Source2.Format", "6.0", "6.0", "6.0"},
		{"Source2.Name", "joe.nettrace", "************", "************"},
		{"Card", "4111", "****", "4111"},
		{"Version", "10.0.1", "******", "10.0.1"},
	} {
		t.Run(c.key+"="+c.value, func(t *testing.T) {
			trace := &codec.Trace{Properties: []codec.KeyValue{{Key: c.key, Value: c.value}}}
			if got := edit.NewRedactor(edit.RedactOptions{}).Trace(trace).Properties[0]; got.Key != c.key || got.Value != c.all {
				t.Errorf("all: got %q, want %q", got, c.all)
			}
			got := edit.NewRedactor(edit.RedactOptions{PathsOnly: true}).Trace(trace).Properties[0].Value
			if want := c.paths; got != want {
				t.Errorf("paths: got %q, want %q", got, want)
			}
		})
	}
}
