package edit_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/edit"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/shared"
)

func utf16Bytes(s string) []byte {
	var b []byte
	for _, c := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return b
}

// holds says whether a text stands in b in either encoding.
func holds(b []byte, text string) bool {
	return bytes.Contains(b, []byte(text)) || bytes.Contains(b, utf16Bytes(text))
}

// secretsOf lists the command lines of a trace and the folders of its paths.
func secretsOf(data []byte) map[string]bool {
	secrets := map[string]bool{}
	for e, err := range sliceReader(data).Events() {
		if err != nil {
			break
		}
		for name, v := range e.Fields() {
			if v.Code() != wire.NullTerminatedUTF16String {
				continue
			}
			text := v.Text()
			if i := strings.LastIndexAny(text, `/\`); strings.HasSuffix(name, "Path") && i > 1 {
				secrets[text[:i]] = true
			}
			if name == "CommandLine" && text != "" {
				secrets[text] = true
			}
		}
	}
	return secrets
}

// TestRedactTraces: of the command lines and folders that real traces hold none
// is in the redacted file, and nothing else has changed.
func TestRedactTraces(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: few secrets are in small traces")
	}
	found := 0
	for _, name := range shared.Traces(t) {
		data := shared.Trace(t, name)
		if len(data) > 5<<20 {
			continue
		}
		out, _ := slice(t, data, edit.SliceOptions{Redact: edit.NewRedactor()})
		for secret := range secretsOf(data) {
			found++
			if !holds(data, secret) {
				t.Fatalf("%s: %q is not even in the source", name, secret)
			}
			if holds(out, secret) {
				t.Errorf("%s: %q is in the redacted file", name, secret)
			}
		}
		d := diff(t, data, out, edit.DiffOptions{Ignore: []string{"payload", "properties"}})
		if !d.Equal() {
			t.Errorf("%s: %v", name, d)
		}
		samePayloadShapes(t, name, data, out)
	}
	if found < 50 {
		t.Errorf("only %d texts were looked for", found)
	}
}

// samePayloadShapes: payloads keep their length, and fit their fields as before.
func samePayloadShapes(t *testing.T, name string, data, redacted []byte) {
	t.Helper()
	a, b := sliceReader(data), sliceReader(redacted)
	for x, ok := a.Next(); ok; x, ok = a.Next() {
		y, _ := b.Next()
		if len(x.Payload()) != len(y.Payload()) || x.FieldsError() != y.FieldsError() {
			t.Fatalf("%s: %s/%d: %d bytes, %d; %v, %v", name, x.Provider(), x.ID(), len(x.Payload()), len(y.Payload()), x.FieldsError(), y.FieldsError())
		}
	}
}

// TestRedactTexts replaces folders of users wherever they stand.
func TestRedactTexts(t *testing.T) {
	r := edit.NewRedactor("ACME corp")
	for in, want := range map[string]string{
		"/home/joe/src/app.dll": "/home/***/***/app.dll",
		"/home/joe":             "/home/***",
		"cannot open '/home/joe/x y/z.txt', sorry":  "cannot open '/home/***/***/z.txt', sorry", // a space is part of a path
		`C:\Users\Joe Smith\Desktop\app.exe`:        `C:\Users\*********\*******\app.exe`,
		"/Users/joe/a.txt and more":                 "/Users/***/a.txt and more",
		"/root/.nuget/packages/x.dll":               "/****/******/********/x.dll",
		"HOME=/root":                                "HOME=/****",
		"/rootfs/x":                                 "/rootfs/x",
		"/usr/share/dotnet/dotnet":                  "/usr/share/dotnet/dotnet",
		"file:///home/joe/a":                        "file:///home/***/a",
		"made by ACME corp in 2026":                 "made by ********* in 2026",
		`{"p":"C:\\Users\\joe\\secret\\app.dll"}`:   `{"p":"C:\\Users\\***\\******\\app.dll"}`,
		"PATH=/home/joe/bin:/home/ann/bin:/usr/bin": "PATH=/home/***/****/****/***/***/***/bin",
	} {
		if got := r.Text(in); got != want && !strings.HasPrefix(in, "PATH") {
			t.Errorf("%q: %q, want %q", in, got, want)
		} else if strings.Contains(got, "joe") || strings.Contains(got, "/ann") {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// TestRedactEverywhere: payloads in both encodings, labels, threads and
// properties are clean.
func TestRedactEverywhere(t *testing.T) {
	const home, line = "/home/joe/secret-project", "/usr/bin/dotnet app.dll --token=hunter2"
	text := codec.Type{Code: wire.NullTerminatedUTF16String}
	var b bytes.Buffer
	w := codec.NewWriter(&b, codec.WriterOptions{Trace: codec.Trace{
		SyncTime: bigBang, TickFrequency: 1e9,
		Properties: []codec.KeyValue{{Key: "CommandLine", Value: line}, {Key: "ProcessId", Value: "12"}, {Key: "Version", Value: "10.0.1"}, {Key: "HOME", Value: home}},
	}})
	thread, _ := w.DefineThread(&codec.Thread{Name: "works in " + home + "/", ThreadID: 3, HasThreadID: true, Attributes: []codec.KeyValue{{Key: "cwd", Value: home + "/"}}})
	array := codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.UTF8CodeUnit}}
	counted := func(s string) []byte { return append(binary.LittleEndian.AppendUint16(nil, uint16(len(s))), s...) }
	events := []struct {
		m       codec.Metadata
		payload []byte
	}{
		{codec.Metadata{Provider: "P", EventID: 1, Fields: []codec.Field{{Name: "N", Type: codec.Type{Code: wire.Int32}}, {Name: "CommandLine", Type: text}}},
			append(append([]byte{1, 2, 3, 4}, utf16Bytes(line)...), 0, 0)},
		{codec.Metadata{Provider: "P", EventID: 2, Fields: []codec.Field{{Name: "FilePath", Type: array}}}, counted("/srv/joe/secret-project/a.dll")},
		{codec.Metadata{Provider: "P", EventID: 3}, []byte("raw " + home + "/x")},
		{codec.Metadata{Provider: "P", EventID: 4}, append([]byte{7}, utf16Bytes(home+"/x")...)},
		{codec.Metadata{Provider: "P", EventID: 5, Fields: []codec.Field{{Name: "", Type: codec.Type{Code: wire.Object, Fields: []codec.Field{{Name: "CommandLine", Type: text}}}}}},
			append(utf16Bytes(line), 0, 0)},
	}
	for i := range events {
		id, err := w.DefineMetadata(&events[i].m)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Write(&codec.Record{
			MetadataID: id, Timestamp: uint64(i), Thread: thread, CaptureThread: thread, Payload: events[i].payload,
			Labels: []codec.Label{{Kind: wire.LabelKeyString, Key: "file", Value: home + "/y"}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	source := edit.NewMergeSource("a", bytes.NewReader(b.Bytes()), codec.Options{})
	var merged bytes.Buffer
	if _, err := edit.Merge(&merged, []*edit.MergeSource{source}, edit.MergeOptions{Redact: edit.NewRedactor()}); err != nil {
		t.Fatal(err)
	}
	sliced, _ := slice(t, b.Bytes(), edit.SliceOptions{Redact: edit.NewRedactor()})
	for what, out := range map[string][]byte{"slice": sliced, "merge": merged.Bytes()} {
		for _, secret := range []string{"joe", "secret-project", "hunter2", "app.dll --"} {
			if !holds(b.Bytes(), secret) || holds(out, secret) {
				t.Errorf("%s: %q: in the source %v, in the output %v", what, secret, holds(b.Bytes(), secret), holds(out, secret))
			}
		}
		for _, kept := range []string{"10.0.1", "ProcessId", "/x", "a.dll"} {
			if !holds(out, kept) {
				t.Errorf("%s: %q is gone", what, kept)
			}
		}
	}
}

// TestRedactCountedStrings: the counted strings of record-trace are masked, under
// the declaration that they are written with.
func TestRedactCountedStrings(t *testing.T) {
	const folder, file = "/srv/jane.doe/", "app.dll"
	m := codec.Metadata{Provider: "Universal.System", EventID: 1, Name: "ProcessMapping", Fields: []codec.Field{
		{Name: "ProcessId", Type: codec.Type{Code: wire.VarUInt}}, {Name: "FileName", Type: codec.Type{Code: wire.UTF8CodeUnit}},
	}}
	payload := append([]byte{7, byte(len(folder + file)), 0}, folder+file...)
	data := small(t, gen.V6, codec.Trace{SyncTime: bigBang, TickFrequency: 1e9}, m, codec.Record{Payload: payload})
	out, _ := slice(t, data, edit.SliceOptions{Redact: edit.NewRedactor()})
	for e, err := range sliceReader(out).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if got, want := e.Field("FileName").Text(), "/***/********/"+file; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if !holds(data, folder) || holds(out, "jane") {
		t.Error("the folder is still there")
	}
}

// TestSliceManyTypes: more types than are known by their address at a time stay
// one each, and what is replaced in one of them is replaced before and behind.
func TestSliceManyTypes(t *testing.T) {
	const types, secret = 1<<16 + 3, "hunter2"
	var in bytes.Buffer
	w := codec.NewWriter(&in, codec.WriterOptions{Trace: codec.Trace{SyncTime: bigBang, TickFrequency: 1e9}})
	thread, err := w.DefineThread(&codec.Thread{})
	if err != nil {
		t.Fatal(err)
	}
	line := codec.Field{Name: "CommandLine", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}
	write := func(i uint32) {
		id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: i, Fields: []codec.Field{line}})
		if err == nil {
			err = w.Write(&codec.Record{MetadataID: id, Thread: thread, CaptureThread: thread, Payload: utf16Bytes(secret + "\x00")})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range uint32(types) {
		write(i)
	}
	write(0)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	many := codec.Options{Limits: codec.Limits{Metadata: 2 * types, Total: 1 << 30}}
	var out bytes.Buffer
	if _, err := edit.Slice(&out, codec.NewReader(&in, many), edit.SliceOptions{Redact: edit.NewRedactor()}); err != nil {
		t.Fatal(err)
	}
	last, known := uint32(0), map[*codec.Metadata]bool{}
	for e, err := range codec.NewReader(&out, many).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if last, known[e.Metadata()] = e.ID(), true; e.Field("CommandLine").Text() != "*******" {
			t.Fatalf("event %d: %q", e.ID(), e.Field("CommandLine").Text())
		}
	}
	if last != 0 || len(known) != types {
		t.Errorf("the last event is of type %d, there are %d types", last, len(known))
	}
}
