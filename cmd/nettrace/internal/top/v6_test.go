package top

import (
	"bytes"
	"context"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestTopV6 compares `top --json` of each real trace with that of its
// conversion to v6, for every type and every --by.
func TestTopV6(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			var made bytes.Buffer
			if _, err := edit.Convert(context.Background(), &made, codec.NewBytesBlockReader(data, input.ReaderOptions(false)), edit.ConvertOptions{}); err != nil {
				t.Fatalf("convert: %v", err)
			}
			before, after := loadAll(t, data), loadAll(t, made.Bytes())
			if got, want := len(after.Kinds), len(before.Kinds); got != want {
				t.Fatalf("%d types in v6, want %d", got, want)
			}
			for i, kind := range before.Kinds {
				for _, by := range topKeyNames() {
					got, want := topLine(after, by, i), topLine(before, by, i)
					if !bytes.Equal(got, want) {
						t.Errorf("--type %v --by %s: %s", kind, by, firstDifference(got, want))
					}
				}
			}
		})
	}
}

// loadAll reads a trace as top does, without a filter.
func loadAll(t *testing.T, data []byte) *samples.Loaded {
	t.Helper()
	var o samples.Selection
	l, err := o.Load(t.Context(), "-", input.FromStream("-", bytes.NewReader(data), nil), false)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// topLine is what `top --json --by` prints of the i-th type.
func topLine(l *samples.Loaded, by string, i int) []byte {
	o := &options{by: by, sort: "self"}
	d := &topData{Loaded: l, kind: l.Kinds[i], names: l.Names(l.Kinds[i])}
	d.add(o)
	return topJSON(d, nil, o)
}

// firstDifference is the part of two lines around the first byte in which they
// differ.
func firstDifference(got, want []byte) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	part := func(line []byte) string {
		return string(line[max(0, min(at, len(line))-60):min(len(line), at+60)])
	}
	return "got ..." + part(got) + "...\nwant ..." + part(want) + "..."
}
