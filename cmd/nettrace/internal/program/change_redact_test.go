package program_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// encodings are the ways in which a secret can be written.
var encodings = map[string]func(string) []byte{
	"UTF-8":  func(s string) []byte { return []byte(s) },
	"UTF-16": utf16le,
	"Latin-1": func(s string) (b []byte) {
		for _, c := range s {
			b = append(b, byte(c))
		}
		return b
	},
}

func utf16le(s string) (b []byte) {
	for _, c := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return b
}

// planter writes a trace with a secret in every place that can hold text.
type planter struct {
	t       *testing.T
	w       *codec.Writer
	format  wire.Format
	secrets map[string]string // secret to place
	time    uint64
	thread  uint64
	ids     uint32
}

// plant makes a secret for a place. Its é differs in the three encodings.
func (p *planter) plant(place string) string {
	secret := fmt.Sprintf("jané%02d;o'neil, <x>|y?", len(p.secrets))
	p.secrets[secret] = place
	return secret
}

func (p *planter) z(place string) []byte { return append(utf16le(p.plant(place)), 0, 0) }

func (p *planter) event(m codec.Metadata, payload []byte, labels ...codec.Label) {
	p.t.Helper()
	id, err := p.w.DefineMetadata(&m)
	if err != nil {
		p.t.Fatal(err)
	}
	p.time++
	rec := codec.Record{MetadataID: id, Thread: p.thread, CaptureThread: p.thread, Timestamp: p.time, Payload: payload, Labels: labels}
	if m.Provider == "Microsoft-DotNETCore-SampleProfiler" {
		rec.Stack = []uint64{0x1010}
	}
	if err := p.w.Write(&rec); err != nil {
		p.t.Fatal(err)
	}
}

// app writes an event of an application, with fields of its own.
func (p *planter) app(fields []codec.Field, payload []byte, labels ...codec.Label) {
	p.ids++
	p.event(codec.Metadata{Provider: "App", EventID: p.ids, Name: fmt.Sprintf("E%d", p.ids), Fields: fields}, payload, labels...)
}

func typed(name string, code wire.TypeCode) codec.Field {
	return codec.Field{Name: name, Type: codec.Type{Code: code}}
}

func arrayOf(name string, element codec.Type) codec.Field {
	return codec.Field{Name: name, Type: codec.Type{Code: wire.Array, Element: &element}}
}

func object(name string, fields ...codec.Field) codec.Field {
	return codec.Field{Name: name, Type: codec.Type{Code: wire.Object, Fields: fields}}
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func number(size int, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(nil, v)[:size]
}

// sized is text after its length in code units of a size.
func sized(size int, b []byte) []byte { return append(number(2, uint64(len(b)/size)), b...) }

// native writes an event of the runtime, whose fields the trace does not name.
func (p *planter) native(provider string, id, version uint32, payload ...[]byte) {
	p.event(codec.Metadata{Provider: provider, EventID: id, Version: version}, joined(payload...))
}

func (p *planter) runtime() {
	p.event(codec.Metadata{Provider: "Microsoft-DotNETCore-SampleProfiler", EventID: 0}, []byte{2, 0, 0, 0})
	zero := []byte{0, 0}
	p.native(profiletrace.RuntimeName, 80, 1, utf16le("System.Exception\x00"), p.z("ExceptionMessage"), number(8, 0), number(4, 0), number(2, 1), number(2, 9))
	p.native(profiletrace.RundownName, 187, 0, number(2, 1), number(2, 1), make([]byte, 16), number(4, 0), number(1, 0),
		p.z("CommandLine of RuntimeInformation"), make([]byte, 16), utf16le("/home/"), utf16le(p.plant("folder of RuntimeDllPath")), utf16le("/libcoreclr.so\x00"))
	p.native(profiletrace.RundownName, 154, 2, number(8, 7), number(8, 1), number(4, 0), number(4, 0),
		utf16le("/srv/"), utf16le(p.plant("folder of ModuleILPath")), utf16le("/app.dll\x00"), utf16le(`C:\Users\`), p.z("user as last folder of ModuleNativePath"),
		number(2, 9), make([]byte, 20), utf16le(`D:\`), utf16le(p.plant("folder of ManagedPdbBuildPath")), utf16le("\\app.pdb\x00"), make([]byte, 20), zero)
	p.native(profiletrace.RundownName, 144, 1, number(8, 5), number(8, 7), number(8, 0x1000), number(4, 0x100), number(4, 0), number(4, 0),
		utf16le("App.Program\x00"), utf16le("Main\x00"), utf16le("void  ()\x00"), number(2, 9), number(8, 0), utf16le(p.plant("after the fields of a method")))
	p.native(profiletrace.RuntimeName, 290, 0, number(2, 9), utf16le("App, Version=1.0.0.0\x00"), utf16le("/srv/"), utf16le(p.plant("folder of AssemblyPath")), utf16le("/a.dll\x00"),
		utf16le("App\x00"), p.z("AssemblyLoadContext"), p.z("RequestingAssemblyLoadContext"))
	p.native(profiletrace.RuntimeName, 9999, 0, utf16le(p.plant("an event of the runtime that nobody knows")))
}

func (p *planter) system() {
	p.event(codec.Metadata{Provider: "Microsoft-DotNETCore-EventPipe", EventID: 1, Name: "ProcessInfo", Fields: []codec.Field{
		typed("CommandLine", wire.NullTerminatedUTF16String), typed("OSInformation", wire.NullTerminatedUTF16String), typed("ArchInformation", wire.NullTerminatedUTF16String),
	}}, joined(p.z("CommandLine of ProcessInfo"), utf16le("Linux\x00x64\x00")))
	p.event(codec.Metadata{Provider: "System.Diagnostics.Metrics", EventID: 2, Name: "CounterRateValuePublished", Fields: []codec.Field{
		typed("sessionId", wire.NullTerminatedUTF16String), typed("meterName", wire.NullTerminatedUTF16String),
		typed("tags", wire.NullTerminatedUTF16String), typed("rate", wire.NullTerminatedUTF16String),
	}}, joined(p.z("sessionId"), utf16le("Meter\x00"), p.z("tags of a meter"), utf16le("12.5\x00")))
	p.event(codec.Metadata{Provider: "App-Counters", EventID: 3, Name: "EventCounters", Fields: []codec.Field{
		object("Payload", typed("Name", wire.NullTerminatedUTF16String), typed("Mean", wire.Double), typed("Metadata", wire.NullTerminatedUTF16String)),
	}}, joined(utf16le("queue\x00"), make([]byte, 8), p.z("Metadata of a counter")))
}

func (p *planter) payloads() {
	text, unit8, unit16 := wire.NullTerminatedUTF16String, codec.Type{Code: wire.UTF8CodeUnit}, codec.Type{Code: wire.UTF16CodeUnit}
	utf8 := func(place string) []byte { return []byte(p.plant(place)) }
	latin1 := func(place string) []byte { return encodings["Latin-1"](p.plant(place)) }
	p.app([]codec.Field{typed("n", wire.Int32), typed("s", text)}, joined(number(4, 7), p.z("text")))
	p.app([]codec.Field{typed("Environment", text)}, joined(utf16le("HOME=/home/"), p.z("environment")))
	p.app([]codec.Field{typed("WorkingDirectory", text)}, joined(utf16le("/srv/"), p.z("last folder of a directory")))
	p.app([]codec.Field{object("", typed("CommandLine", text))}, p.z("nameless object"))
	p.app([]codec.Field{object("o", object("p", typed("s", text)), typed("n", wire.Byte))}, joined(p.z("object in an object"), number(1, 3)))
	p.app([]codec.Field{arrayOf("a", codec.Type{Code: text})}, joined(number(2, 2), p.z("array of texts, first"), p.z("array of texts, second")))
	p.app([]codec.Field{arrayOf("a", object("", typed("Key", text), typed("Value", text)).Type)},
		joined(number(2, 1), p.z("key in an array of objects"), p.z("value in an array of objects")))
	p.app([]codec.Field{arrayOf("a", unit16)}, sized(2, utf16le(p.plant("array of UTF-16 code units"))))
	p.app([]codec.Field{arrayOf("b", codec.Type{Code: wire.Byte})}, sized(1, latin1("byte array, Latin-1")))
	p.app([]codec.Field{arrayOf("b", codec.Type{Code: wire.Byte})}, sized(1, utf8("byte array, UTF-8")))
	p.app([]codec.Field{arrayOf("b", codec.Type{Code: wire.SByte})}, sized(1, utf16le(p.plant("array of SByte, UTF-16"))))
	p.app([]codec.Field{typed("s", text), typed("n", wire.Int32)}, joined(utf16le("x\x00"), number(4, 1), utf16le(p.plant("after the fields, UTF-16"))))
	p.app([]codec.Field{typed("n", wire.Int32)}, joined(number(4, 1), utf8("after the fields, UTF-8")))
	p.app([]codec.Field{typed("s", text), typed("n", wire.Int64)}, joined(utf16le("x\x00"), number(8, 0), p.z("too long, zero-terminated")))
	p.app([]codec.Field{typed("s", text)}, utf16le(p.plant("text without an end")))
	p.app(nil, latin1("no fields, Latin-1"))
	p.app(nil, joined([]byte{7}, utf16le(p.plant("no fields, UTF-16, odd place"))))
	if !p.format.HasLabelLists() {
		return
	}
	p.app([]codec.Field{arrayOf("a", unit8)}, sized(1, utf8("array of UTF-8 code units")))
	p.app([]codec.Field{{Name: "f", Type: codec.Type{Code: wire.FixedLengthArray, Count: 6, Element: &unit16}}}, utf16le(p.plant("fixed length"))[:12])
	far := func(code wire.TypeCode, element codec.Type) codec.Field {
		return codec.Field{Name: "l", Type: codec.Type{Code: code, Element: &element}}
	}
	located := func(offset int, b []byte) []byte {
		return joined(number(2, uint64(offset)), number(2, uint64(len(b))), b)
	}
	p.app([]codec.Field{far(wire.DataLoc, unit16)}, located(4, utf16le(p.plant("DataLoc"))))
	p.app([]codec.Field{far(wire.RelLoc, unit8)}, located(0, utf8("RelLoc")))
	p.app([]codec.Field{far(wire.DataLoc, codec.Type{Code: wire.Byte})}, located(6, joined(utf8("gap before what a locator points at"))))
	p.app(nil, nil,
		codec.Label{Kind: wire.LabelKeyString, Key: "CommandLine", Value: p.plant("label CommandLine")},
		codec.Label{Kind: wire.LabelKeyString, Key: "anything", Value: p.plant("label")})
	p.ids++
	p.event(codec.Metadata{Provider: "App", EventID: p.ids, Name: "WithAttributes", Message: "m", Attributes: []codec.KeyValue{{Key: "k", Value: p.plant("metadata attribute")}}}, nil)
	p.ids++
	p.event(codec.Metadata{Provider: "Universal.System", EventID: 3, Name: "ProcessMapping"}, joined(
		[]byte{1, 0x80, 0x80, 0x04, 0xFF, 0x81, 0x04, 0}, sized(1, joined([]byte("/srv/"), utf8("folder of FileName"), []byte("/lib.so"))), []byte{0}))
	p.event(codec.Metadata{Provider: "Universal.System", EventID: 1, Name: "ProcessCreate"}, joined(
		[]byte{1}, sized(1, utf8("name of a process")), sized(1, nil)))
}

// planted writes a trace with secrets in a version of the format.
func planted(t *testing.T, major uint32) ([]byte, map[string]string) {
	var out bytes.Buffer
	format := wire.Format{Major: major}
	p := &planter{t: t, format: format, secrets: map[string]string{}}
	trace := codec.Trace{SyncTime: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), TickFrequency: 1e9, PointerSize: 8, Properties: []codec.KeyValue{
		{Key: codec.ProcessIDKey, Value: "12"}, {Key: codec.HardwareThreadCountKey, Value: "2"}, {Key: codec.ExpectedCPUSamplingRateKey, Value: "1000000"},
	}}
	row := codec.Thread{ThreadID: 5, HasThreadID: true, ProcessID: 12, HasProcessID: true}
	if p.format.HasTraceProperties() {
		trace.Properties = append(trace.Properties, codec.KeyValue{Key: "Host", Value: p.plant("property")}, codec.KeyValue{Key: "CommandLine", Value: p.plant("property CommandLine")})
		row.Name, row.Attributes = p.plant("thread name"), []codec.KeyValue{{Key: "cwd", Value: p.plant("thread attribute")}}
	}
	p.w = codec.NewWriter(&out, codec.WriterOptions{Format: format, Trace: trace, PassOn: true})
	p.thread = 5
	if p.format.HasThreadTable() {
		var err error
		if p.thread, err = p.w.DefineThread(&row); err != nil {
			t.Fatal(err)
		}
	}
	p.runtime()
	p.system()
	p.payloads()
	if err := p.w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), p.secrets
}

// in says in which encodings a text is in b.
func in(b []byte, text string) (list []string) {
	for name, encode := range encodings {
		if bytes.Contains(b, encode(text)) {
			list = append(list, name)
		}
	}
	return list
}

// TestSliceRedactSecrets: of the secrets in every place that can hold text, no
// part is in what slice --redact writes; the names of methods are, and the result
// obeys the format.
func TestSliceRedactSecrets(t *testing.T) {
	for _, c := range []struct {
		name         string
		major, count int
		flags        []string
	}{
		{"v4", 5, 30, nil},
		{"v6", 6, 40, nil},
		{"v4 to v6", 5, 30, []string{"--format", "v6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, secrets := planted(t, uint32(c.major))
			if len(secrets) < c.count {
				t.Fatalf("%d secrets, want at least %d", len(secrets), c.count)
			}
			r := programtest.Run(t, data, append([]string{"slice", "-", "-o", "-", "--redact"}, c.flags...)...)
			if r.Code != exit.Done {
				t.Fatalf("exit %d, %s", r.Code, r.Stderr)
			}
			out := []byte(r.Out)
			for secret, place := range secrets {
				for _, part := range []string{secret, secret[:len("jané00")], secret[len("jané00"):]} {
					t.Run(part, func(t *testing.T) {
						if found := in(out, part); len(found) > 0 {
							t.Errorf("%s: %q is there in %v", place, part, found)
						}
					})
				}
			}
			for _, kept := range []string{"App.Program", "app.dll", "libcoreclr.so", "System.Exception", "Linux", "Meter", "12.5", "queue"} {
				t.Run(kept, func(t *testing.T) {
					if !bytes.Contains(out, utf16le(kept)) {
						t.Errorf("%q is gone", kept)
					}
				})
			}
			if check := programtest.Run(t, out, "check", "-"); check.Code != exit.Done {
				t.Errorf("check: exit %d\n%s", check.Code, check.Out)
			}
			if before, after := topNames(t, data), topNames(t, out); !slices.Equal(before, after) || !strings.Contains(strings.Join(after, " "), "Program.Main") {
				t.Errorf("top names %q, before %q", after, before)
			}
		})
	}
}

// TestSliceRedactReport: three lists are printed: replaced text, text that stays,
// and the names of events and fields without text.
func TestSliceRedactReport(t *testing.T) {
	data, _ := planted(t, 6)
	r := programtest.Run(t, data, "slice", "-", "-o", "-", "--redact")
	for _, want := range []string{
		"nettrace: replaced text in 48 values, by provider, event and field:\n",
		"  App/E1/s: 1\n",
		"  App/E5/o.p.s: 1\n",
		"  App/E6/a: 2\n",
		"  App/E7/a.Value: 1\n",
		"  App/E13 (complete payload): 1\n",
		"  Microsoft-Windows-DotNETRuntime/ExceptionThrown/ExceptionMessage: 1\n",
		"  Microsoft-Windows-DotNETRuntime/9999 (complete payload): 1\n",
		"  Microsoft-Windows-DotNETRuntimeRundown/MethodDCEndVerbose (bytes outside of the fields): 1\n",
		"  label anything: 1\n",
		"  thread name: 1\n",
		"  thread attribute cwd: 1\n",
		"  metadata attribute k: 1\n",
		"  trace property Host: 1\n",
		"nettrace: text stays in 18 values, by provider, event and field:\n",
		"  App-Counters/EventCounters/Payload.Name: 1\n",
		"  Microsoft-Windows-DotNETRuntime/ExceptionThrown/ExceptionType: 1\n",
		"  Microsoft-Windows-DotNETRuntimeRundown/MethodDCEndVerbose/MethodNamespace: 1\n",
		"  Microsoft-Windows-DotNETRuntimeRundown/ModuleDCEnd/ModuleILPath: 1\n",
		"  App/WithAttributes (metadata text): 1\n",
		"nettrace: no text in these fields, whose names stay:\n",
		"  App/E1/n\n",
		"  App-Counters/EventCounters/Payload.Mean\n",
	} {
		t.Run(want, func(t *testing.T) {
			if !strings.Contains(r.Stderr+"\n", want) {
				t.Errorf("%q is not in\n%s", want, r.Stderr)
			}
		})
	}
}

// TestSliceRedactTraces: of real traces what is written is as valid as the source,
// and profiles have the same names.
func TestSliceRedactTraces(t *testing.T) {
	for _, name := range shared.Traces(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			if len(data) > 4<<20 {
				t.Skip("the trace has more than 4 MiB")
			}
			r := programtest.Run(t, data, "slice", "-", "-o", "-", "--redact")
			source, redacted := programtest.Run(t, data, "check", "-"), programtest.Run(t, []byte(r.Out), "check", "-")
			if redacted.Code > source.Code {
				t.Errorf("check: exit %d, before %d\n%.2000s", redacted.Code, source.Code, redacted.Out)
			}
			if before, after := topNames(t, data), topNames(t, []byte(r.Out)); !slices.Equal(before, after) {
				t.Errorf("top has %d names, before %d", len(after), len(before))
			}
		})
	}
}

// topNames are the names of methods that top prints.
func topNames(t *testing.T, data []byte) (names []string) {
	r := programtest.Run(t, data, "top", "--json", "--limit", "0", "-")
	var parsed struct{ Rows []struct{ Name string } }
	if r.Code == exit.Broken && r.Out == "" { // a trace without samples
		return nil
	}
	if err := json.Unmarshal([]byte(r.Out), &parsed); err != nil {
		t.Fatalf("%v: exit %d, %.200s%s", err, r.Code, r.Out, r.Stderr)
	}
	for _, row := range parsed.Rows {
		names = append(names, row.Name)
	}
	return names
}
