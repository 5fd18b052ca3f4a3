package edit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

func utf16Bytes(s string) []byte {
	var b []byte
	for _, c := range utf16.Encode([]rune(s)) {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return b
}

// holds reports whether b contains a text in either encoding.
func holds(b []byte, text string) bool {
	return bytes.Contains(b, []byte(text)) || bytes.Contains(b, utf16Bytes(text))
}

// textsOf counts the values of a trace by the paths that lead to them.
func textsOf(v codec.Value, path string, found func(path, text string)) {
	if v.IsText() {
		found(path, v.Text())
	}
	for name, inner := range v.Fields() {
		textsOf(inner, path+"."+name, found)
	}
	if v.IsArray() {
		for x := range v.Elements() {
			textsOf(x, path, found)
		}
	}
}

// replacedTexts lists the texts of a trace that a redaction must have removed:
// with paths, command lines and the folders of paths; else all but those of
// KeptFields.
func replacedTexts(data []byte, paths bool) map[string]bool {
	kept := map[string]bool{}
	for _, f := range edit.KeptFields() {
		if !f.FileName {
			kept[f.Field[strings.LastIndexByte(f.Field, '.')+1:]] = true
		}
	}
	secrets := map[string]bool{}
	for e, err := range sliceReader(data).Events() {
		if err != nil {
			break
		}
		for name, v := range e.Fields() {
			textsOf(v, name, func(path, text string) {
				leaf := path[strings.LastIndexByte(path, '.')+1:]
				folder := strings.LastIndexAny(text, `/\`)
				switch {
				case leaf == "CommandLine" && text != "":
					secrets[text] = true
				case strings.HasSuffix(leaf, "Path") && folder > 1:
					secrets[text[:folder]] = true
				case !paths && !kept[leaf] && len(text) > 20 && !strings.HasSuffix(leaf, "Path"):
					secrets[text] = true
				}
			})
		}
	}
	return secrets
}

// TestRedactTraces: of the texts that real traces hold none of those to be
// replaced is in the redacted file, and nothing else has changed.
func TestRedactTraces(t *testing.T) {
	tier.NeedsCheck(t) // few secrets are in small traces
	for mode, opt := range map[string]edit.RedactOptions{"all": {}, "paths": {PathsOnly: true}} {
		t.Run(mode, func(t *testing.T) {
			found := 0
			for _, name := range shared.Traces(t) {
				t.Run(name, func(t *testing.T) {
					if data := shared.Trace(t, name); len(data) <= 5<<20 {
						found += redactTrace(t, name, data, opt)
					}
				})
			}
			if found < 50 {
				t.Errorf("only %d texts were looked for", found)
			}
		})
	}
}

// redactTrace redacts a trace, and returns how many texts it looked for.
func redactTrace(t *testing.T, name string, data []byte, opt edit.RedactOptions) int {
	t.Helper()
	redactor := edit.NewRedactor(opt)
	out, _ := slice(t, data, edit.SliceOptions{Redact: redactor})
	if !opt.PathsOnly { // with it, texts are also kept in bytes that no field describes
		sameRemainingTexts(t, name, out, redactor)
	}
	secrets := replacedTexts(data, opt.PathsOnly)
	names := methodNames(data)
	for secret := range secrets {
		if holds(out, secret) && !holds(names, secret) {
			t.Errorf("%s: %q is in the redacted file", name, secret)
		}
	}
	d := diff(t, data, out, edit.DiffOptions{Ignore: []string{"payload", "properties", "labels", "sequencePoints"}})
	if !d.Equal() {
		t.Errorf("%s: %v", name, d)
	}
	samePayloadShapes(t, name, data, out)
	return len(secrets)
}

// sameRemainingTexts demands that the Redactor lists the fields of which the
// redacted trace still has text, with the number of their values.
func sameRemainingTexts(t *testing.T, name string, redacted []byte, r *edit.Redactor) {
	t.Helper()
	got, want := map[edit.Replacement]int64{}, map[edit.Replacement]int64{}
	for _, x := range r.Replaced() {
		if x.Kept > 0 && x.Where == edit.InField {
			got[edit.Replacement{Provider: x.Provider, EventID: x.EventID, Event: x.Event, Field: x.Field}] = x.Kept
		}
	}
	for e, err := range sliceReader(redacted).Events() {
		if err != nil {
			break
		}
		m := e.Metadata()
		for field, v := range e.Fields() {
			textsOf(v, field, func(path, text string) {
				if strings.Trim(text, "*\u2a2a") != "" { // U+2A2A is two asterisks of a payload that was replaced completely
					path = strings.TrimPrefix(path, ".") // of a nameless object
					want[edit.Replacement{Provider: m.Provider, EventID: m.EventID, Event: m.Name, Field: path}]++
				}
			})
		}
	}
	for x := range maps.Keys(want) {
		if got[x] != want[x] {
			t.Errorf("%s: the Redactor lists %d kept texts of %s/%d/%s, the redacted trace has %d", name, got[x], x.Provider, x.EventID, x.Field, want[x])
		}
	}
	for x := range got {
		if want[x] == 0 {
			t.Errorf("%s: the Redactor lists %d kept texts of %s/%d/%s, the redacted trace has none", name, got[x], x.Provider, x.EventID, x.Field)
		}
	}
}

// methodNames are the values of all fields that stay, and the names in metadata,
// one after another.
func methodNames(data []byte) []byte {
	var b []byte
	var last *codec.Metadata
	for e, err := range sliceReader(data).Events() {
		if err != nil {
			break
		}
		if m := e.Metadata(); m != nil && m != last {
			last = m
			b = fmt.Appendf(b, "%s\x00%s\x00%v\x00", m.Provider, m.Name, m.Fields)
		}
		for name, v := range e.Fields() {
			textsOf(v, name, func(path, text string) {
				if slices.ContainsFunc(edit.KeptFields(), func(f edit.KeptField) bool { return f.Field == path && !f.FileName }) {
					b = append(append(b, text...), 0)
				}
			})
		}
	}
	return b
}

// samePayloadShapes: payloads keep their length, and those that fit their fields
// still do.
func samePayloadShapes(t *testing.T, name string, data, redacted []byte) {
	t.Helper()
	a, b := sliceReader(data), sliceReader(redacted)
	for x, ok := a.Next(); ok; x, ok = a.Next() {
		y, _ := b.Next()
		fit := x.FieldsError() != nil || y.FieldsError() == nil
		if len(x.Payload()) != len(y.Payload()) || !fit {
			t.Fatalf("%s: %s/%d: %d bytes, %d; %v, %v", name, x.Provider(), x.ID(), len(x.Payload()), len(y.Payload()), x.FieldsError(), y.FieldsError())
		}
	}
}

// textOf is the value of a label after redaction.
func textOf(r *edit.Redactor, key, text string) string {
	return r.Labels([]codec.Label{{Kind: wire.LabelKeyString, Key: key, Value: text}})[0].Value
}

// TestRedactTexts: with PathsOnly the folders of users are replaced in any text,
// command lines and folders by the key of the value.
func TestRedactTexts(t *testing.T) {
	r := edit.NewRedactor(edit.RedactOptions{PathsOnly: true, Texts: []string{"ACME corp"}})
	for _, c := range []struct{ key, in, want string }{
		{"k", "/home/joe/src/app.dll", "/home/***/***/app.dll"},
		{"k", "/home/joe", "/home/***"},
		{"k", "/home/joe/", "/home/***/"},
		{"k", "cannot open '/home/joe/x y/z.txt', sorry", "cannot open '/home/***/***/z.txt', sorry"}, // a space is part of a path
		{"k", `C:\Users\Joe Smith\Desktop\app.exe`, `C:\Users\*********\*******\app.exe`},
		{"k", `c:\USERS\joe\a.exe`, `c:\USERS\***\a.exe`},
		{"k", `C:\Documents and Settings\joe\a.exe`, `C:\Documents and Settings\***\a.exe`},
		{"k", "/Users/joe/a.txt and more", "/Users/***/a.txt and more"},
		{"k", "/root/.nuget/packages/x.dll", "/****/******/********/x.dll"},
		{"k", "HOME=/root", "HOME=/****"},
		{"k", "HOME=/root;", "HOME=/*****"},
		{"k", "/rootfs/x", "/rootfs/x"},
		{"k", "/usr/share/dotnet/dotnet", "/usr/share/dotnet/dotnet"},
		{"k", "file:///home/joe/a", "file:///home/***/a"},
		{"k", "made by ACME corp in 2026", "made by ********* in 2026"},
		{"k", `{"p":"C:\\Users\\joe\\secret\\app.dll"}`, `{"p":"C:\\Users\\***\\******\\app.dll"}`},
		{"k", "PATH=/home/joe/bin:/home/ann/bin:/usr/bin", "PATH=/home/***/****/****/***/****/***/bin"},
		{"k", "/home/jo,e/a.txt", "/home/****/a.txt"},
		{"k", "/home/jo;e/a.txt", "/home/****/a.txt"},
		{"k", "/home/o'neil/a.txt", "/home/******/a.txt"},
		{"k", "/home/a<b>c/x/a.txt", "/home/*****/*/a.txt"},
		{"k", "/home/a|b?c*d/a.txt", "/home/*******/a.txt"},
		{"CommandLine", "dotnet /srv/a.dll --token=x", "***************************"},
		{"FilePath", "/srv/joe/a.dll", "/***/***/a.dll"},
		{"FilePath", "/srv/joe", "/***/***"},
		{"WorkingDirectory", "/srv/joe", "/***/***"},
		{"WorkingDirectory", `D:\profiles\joe`, `**\********\***`},
		{"FileName", "/srv/joe/a.txt", "/***/***/a.txt"},
		{"FileName", "/home/joe", "/****/***"},
	} {
		t.Run(c.key+"="+c.in, func(t *testing.T) {
			if got := textOf(r, c.key, c.in); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestRedactTextsNotFound: a text is found in each encoding, also within another one.
func TestRedactTextsNotFound(t *testing.T) {
	r := edit.NewRedactor(edit.RedactOptions{PathsOnly: true, Texts: []string{"", "Acme.Shop", "Acme", "acme", "Shop2"}})
	expect.Equal(t, "before the first value", fmt.Sprintf("%q", r.TextsNotFound()), `["Acme.Shop" "Acme" "acme" "Shop2"]`)
	expect.Equal(t, "value", textOf(r, "k", "the Acme.Shop"), "the *********")
	expect.Equal(t, "after it", fmt.Sprintf("%q", r.TextsNotFound()), `["acme" "Shop2"]`)
}

// TestRedactEverywhere: with PathsOnly, payloads in both encodings, labels,
// threads and properties are clean.
func TestRedactEverywhere(t *testing.T) {
	const home, line = "/home/joe/secret-project", "/usr/bin/dotnet app.dll --token=hunter2"
	text := codec.Type{Code: wire.NullTerminatedUTF16String}
	var b bytes.Buffer
	w := codec.NewWriter(&b, codec.WriterOptions{Trace: codec.Trace{
		SyncTime: sceneTime, TickFrequency: 1e9,
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
	source := edit.NewMergeSource(bytes.NewReader(b.Bytes()), edit.MergeSourceOptions{Name: "a"})
	var merged bytes.Buffer
	if _, err := edit.Merge(context.Background(), &merged, []*edit.MergeSource{source}, edit.MergeOptions{Redact: edit.NewRedactor(edit.RedactOptions{PathsOnly: true})}); err != nil {
		t.Fatal(err)
	}
	sliced, _ := slice(t, b.Bytes(), edit.SliceOptions{Redact: edit.NewRedactor(edit.RedactOptions{PathsOnly: true})})
	for what, out := range map[string][]byte{"slice": sliced, "merge": merged.Bytes()} {
		t.Run(what, func(t *testing.T) {
			for _, secret := range []string{"joe", "secret-project", "hunter2", "app.dll --"} {
				if !holds(b.Bytes(), secret) || holds(out, secret) {
					t.Errorf("%q: in the source %v, in the output %v", secret, holds(b.Bytes(), secret), holds(out, secret))
				}
			}
			for _, kept := range []string{"10.0.1", "ProcessId", "/x", "a.dll"} {
				if !holds(out, kept) {
					t.Errorf("%q is missing", kept)
				}
			}
		})
	}
}

// TestRedactCountedStrings: the counted strings of record-trace are masked, under
// the declaration that they are written with.
func TestRedactCountedStrings(t *testing.T) {
	const folder, file = "/srv/jane.doe/", "app.dll"
	m := codec.Metadata{Provider: "Universal.System", EventID: 3, Name: "ProcessMapping", Fields: []codec.Field{
		{Name: "ProcessId", Type: codec.Type{Code: wire.VarUInt}}, {Name: "FileName", Type: codec.Type{Code: wire.UTF8CodeUnit}},
	}}
	payload := append([]byte{7, byte(len(folder + file)), 0}, folder+file...)
	data := small(t, wire.V6, codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9}, m, codec.Record{Payload: payload})
	out, _ := slice(t, data, edit.SliceOptions{Redact: edit.NewRedactor(edit.RedactOptions{})})
	for e, err := range sliceReader(out).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fieldOf(e, "FileName").Text(), "/***/********/"+file; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if !holds(data, folder) || holds(out, "jane") {
		t.Error("the folder is still there")
	}
}

// TestSliceManyTypes: more types than the cache of addresses holds stay separate,
// and what is replaced in one of them is replaced before and after.
func TestSliceManyTypes(t *testing.T) {
	const types, secret = 1<<16 + 3, "hunter2"
	var in bytes.Buffer
	w := codec.NewWriter(&in, codec.WriterOptions{Trace: codec.Trace{SyncTime: sceneTime, TickFrequency: 1e9}, PassOn: true})
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
	if _, err := edit.Slice(context.Background(), &out, codec.NewBlockReader(&in, many), edit.SliceOptions{Redact: edit.NewRedactor(edit.RedactOptions{PathsOnly: true})}); err != nil {
		t.Fatal(err)
	}
	last, known := uint32(0), map[*codec.Metadata]bool{}
	for e, err := range codec.NewReader(&out, many).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if last, known[e.Metadata()] = e.ID(), true; fieldOf(e, "CommandLine").Text() != "*******" {
			t.Fatalf("event %d: %q", e.ID(), fieldOf(e, "CommandLine").Text())
		}
	}
	if last != 0 || len(known) != types {
		t.Errorf("the last event is of type %d, there are %d types", last, len(known))
	}
}

// fieldOf is Event.Field for an existing field.
func fieldOf(e *codec.Event, name string) codec.Value {
	v, _ := e.Field(name)
	return v
}
