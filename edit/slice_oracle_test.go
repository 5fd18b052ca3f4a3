package edit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/oracle/compare"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestOtherReader: another reader finds the same events and losses in slices,
// parts and merged traces.
func TestOtherReader(t *testing.T) {
	if shared.Race {
		t.Skip("with the race detector the other reader takes half a minute")
	}
	te := shared.OtherReader(t)
	for what, data := range edited(t) {
		t.Run(what, func(t *testing.T) { acceptedByOther(t, te, data) })
	}
}

// edited are files that this package writes.
func edited(t *testing.T) map[string][]byte {
	files := map[string][]byte{}
	trace := func(name string) []byte { return shared.Trace(t, name) }
	for _, name := range []string{"net10-mix-cpu.v4", "net10-tpl-activities.v4", "net10-types.v4", "dotnetdiag-net5-webapp.v4", "perfview-net5-arraytypes.v5", "net10-netperf.v3", "onecollect-small.v6"} {
		data := trace(name)
		first, last := bounds(data)
		part := edit.SliceOptions{Time: between(first+(last-first)/4, last-(last-first)/4)}
		files[name+"-part"], _ = slice(t, data, part)
		named := part
		named.Naming, named.First = naming(), sliceBlocks(data)
		files[name+"-named"], _ = slice(t, data, named)
		part.Format = wire.V6
		part.Keep = func(e *codec.Event) bool { return e.ID()%5 != 2 }
		files[name+"-thinned-v6"], _ = slice(t, data, part)
	}
	data := trace("azmcp-net10-startup.v4")
	files["redacted"], _ = slice(t, data, edit.SliceOptions{Redact: edit.NewRedactor(edit.RedactOptions{})})
	for i, part := range split(t, data, edit.SplitOptions{Size: edit.SplitSize{Bytes: 300 << 10}}) {
		files[fmt.Sprintf("split-%d", i+1)] = part.Bytes()
	}
	files["merged"], _ = merge(t, data, trace("net10-mix-gc.v4"), trace("onecollect-small.v6"))
	files["merged-32bit"], _ = merge(t, trace("perfview-voicememo-32bit.v4"))
	return files
}

func acceptedByOther(t *testing.T, te string, data []byte) {
	path := filepath.Join(t.TempDir(), "edited.nettrace")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	answer, err := compare.Ask(te, path)
	if err != nil {
		t.Fatal(err)
	}
	r := codec.NewBytesReader(data, codec.Options{})
	ours, err := compare.Read(r)
	if err != nil || answer.Fail != "" {
		t.Fatalf("codec ends with %v, the other reader with %q", err, answer.Fail)
	}
	differences := compare.Compare(ours, answer.Rows, false)
	for _, d := range differences[:min(len(differences), 3)] {
		t.Error(d)
	}
	if len(differences) > 0 {
		t.Errorf("%d of %d events differ", len(differences), len(ours))
	}
	if answer.Lost != int64(r.Lost()) {
		t.Errorf("%d lost, the other reader finds %d", r.Lost(), answer.Lost)
	}
	t.Logf("%d events, %d lost; the other reader %d", len(ours), r.Lost(), answer.Lost)
}
