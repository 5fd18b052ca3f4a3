package tracedoc

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestAll: the events of a report, which are compressed while they are read, are those that
// the page of a running program asks for.
func TestAll(t *testing.T) {
	_, events, err := Read(t.Context(), &run.Program{Stderr: io.Discard}, testfile.Archive(t, "net10-deep.v4"), Reading{})
	expect.NoError(t, err)
	list, err := events.List(t.Context(), &filter.Criteria{}, 0, maxKept)
	expect.NoError(t, err)
	want, err := json.Marshal(list)
	expect.NoError(t, err)
	packed, _, left, err := events.All(t.Context())
	expect.NoError(t, err)
	expect.Equal(t, "events left out", left, 0)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	expect.NoError(t, err)
	var got EventList
	expect.NoError(t, json.NewDecoder(unpacked).Decode(&got))
	again, err := json.Marshal(&got)
	expect.NoError(t, err)
	expect.AtLeast(t, "events", len(got.Events), 1000)
	if !bytes.Equal(again, want) {
		t.Error("the events differ from those of List")
	}
}

// TestElements: lines become elements wherever the text that is written ends.
func TestElements(t *testing.T) {
	const text = "trace\n{1}\n{22}\n{3}\n"
	for size := 1; size <= len(text); size++ {
		var b strings.Builder
		e := &elements{to: &b}
		for i := 0; i < len(text); i += size {
			n, err := e.Write([]byte(text[i:min(i+size, len(text))]))
			expect.NoError(t, err)
			expect.Equal(t, "bytes written", n, min(size, len(text)-i))
		}
		expect.Equal(t, "elements", b.String(), "{1},{22},{3}")
	}
}
