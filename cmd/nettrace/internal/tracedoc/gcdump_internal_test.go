package tracedoc

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heapdump"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestReadGCDump: the document of a .gcdump file has the heap that the command heap reads, and
// says what the file cannot have.
func TestReadGCDump(t *testing.T) {
	for _, name := range []string{"traces/heap/heap-leak-phase2.gcdump.zst", "gcdump-cases/interop.gcdump"} {
		path := filepath.Join(shared.Dir(t), "heap", filepath.FromSlash(name))
		in, err := input.Open(&run.Program{}, path, input.Options{GCDump: true})
		expect.NoError(t, err)
		defer in.Close()
		want, err := (&heapdump.Selection{}).Load(t.Context(), path, in)
		expect.NoError(t, err)

		s, events, err := Read(t.Context(), &run.Program{}, path, Reading{})
		expect.NoError(t, err)
		answer, err := events.Heap(t.Context(), url.Values{})
		expect.NoError(t, err)
		var got struct {
			Dump struct{ Objects, Bytes int64 }
		}
		expect.NoError(t, json.Unmarshal(answer, &got))
		expect.Equal(t, name+": objects", got.Dump.Objects, int64(want.Len()))
		if !s.Heap || !slices.Contains(s.LeftOut, withoutEvents) {
			t.Errorf("%s: heap %t, left out %q", name, s.Heap, s.LeftOut)
		}
		process, _ := s.Profile.Trace.ProcessID()
		expect.Equal(t, name+": process", process, uint64(max(want.GCDump.ProcessID, 0)))
		_, err = s.Encode()
		expect.NoError(t, err)
	}
}
