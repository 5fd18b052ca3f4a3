package nettrace_test

import (
	"io"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// TestZeroValues: a value that no constructor has made panics with a text that names
// its constructor. Module codec tests its own.
func TestZeroValues(t *testing.T) {
	ctx := t.Context()
	named := namingEvent(t)
	for _, c := range []struct {
		name, want string
		use        func()
	}{
		{"nettrace.Source.Read", "use NewSource", func() { new(nettrace.Source).Read(make([]byte, 1)) }},
		{"symbols.Table.Add", "use NewTable", func() { new(symbols.Table).Add(named) }},
		{"symbols.Table.AddWanted", "use NewTable", func() { new(symbols.Table).AddWanted(1, 2) }},
		{"symbols.Table.Lookup", "use NewTable", func() { new(symbols.Table).Lookup(symbols.Query{}) }},
		{"symbols.Table.Timeline", "use NewTable", func() { new(symbols.Table).Timeline(1, 2) }},
		{"symbols.Naming.Add", "use NewNaming", func() { new(symbols.Naming).Add(named) }},
		{"symbols.Naming.Use", "use NewNaming", func() { new(symbols.Naming).Use(0, named) }},
		{"edit.Merge", "use NewMergeSource", func() { edit.Merge(ctx, io.Discard, []*edit.MergeSource{{}}, edit.MergeOptions{}) }},
		{"edit.Redactor.Payload", "use NewRedactor", func() { new(edit.Redactor).Payload(named) }},
		{"gen.Builder.Block", "use NewBuilder", func() { new(gen.Builder).Block(&codec.BlockRows{}) }},
		{"record.File.WriteBlocks", "use NewFile", func() { new(record.File).WriteBlocks(nil) }},
		{"record.File.Close", "use NewFile", func() { new(record.File).Close() }},
		{"eventpipe.Client.ProcessInfo", "use NewClient", func() { new(eventpipe.Client).ProcessInfo(ctx) }},
		{"ndjson.Writer.End", "use NewWriter", func() { new(ndjson.Writer).End(false) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, c.want) {
					t.Errorf("panic %q, want %q in it", text, c.want)
				}
			}()
			c.use()
		})
	}
}

// namingEvent returns an event that names a method.
func namingEvent(t *testing.T) *codec.Event {
	data, err := corpora.Open("gen-rundown.v4")
	if err != nil {
		t.Fatal(err)
	}
	naming := symbols.NewNaming(symbols.Options{})
	for e, err := range codec.NewBytesReader(data, codec.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if naming.Names(e) && symbols.NewTable(symbols.Options{}).Add(e) {
			return e.Clone()
		}
	}
	t.Fatal("no event names a method")
	return nil
}
