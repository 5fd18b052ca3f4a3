package collect

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/symbols"
)

// TestStoreSources: the source lines of a recording are stored in its file, by the files below the
// root of the process. Without such files the recording stays as it is, and the reason is printed.
func TestStoreSources(t *testing.T) {
	trace := shared.File(t, "lines/lines-cpu.net10.v4.nettrace.zst")
	name, root := filepath.Join(t.TempDir(), "app.nettrace"), t.TempDir()
	bin := filepath.Join(root, "srv", "app", "bin") // where the recorded process had it
	expect.NoError(t, os.MkdirAll(bin, 0o755))
	expect.NoError(t, os.WriteFile(name, trace, 0o644))
	expect.Stop(t)
	files := symbols.Options{RecordedPaths: true, Root: root}
	var messages bytes.Buffer
	c := &collecting{p: &run.Program{Stderr: &messages}, o: &options{}, giveUp: context.Background()}
	expect.Equal(t, "without files", c.storeSources(name, files), false)
	expect.Contains(t, "message", messages.String(), "no source lines are stored", "nothing to store")
	kept, err := os.ReadFile(name)
	expect.NoError(t, err)
	expect.Equal(t, "the recording is unchanged", bytes.Equal(kept, trace), true)
	for _, file := range []string{"lines.dll", "lines.pdb"} {
		expect.NoError(t, os.WriteFile(filepath.Join(bin, file), shared.File(t, "lines/bin/"+file), 0o644))
	}
	expect.Equal(t, "with files", c.storeSources(name, files), true)
	stored, err := os.ReadFile(name)
	expect.NoError(t, err)
	methods := 0
	for e, err := range codec.NewBytesReader(stored, codec.Options{}).Events() {
		expect.NoError(t, err)
		if clr.KindOf(e.Metadata()) == clr.KindMethodSource {
			methods++
		}
	}
	expect.AtLeast(t, "methods with lines", methods, 40)
}
