//go:build unix

package program_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// written are the command lines that write traces. IN and OTHER are the names of traces, PORT is
// that of a process, OUT the name of the output, of which some commands make several files.
var written = []struct {
	inputs string // names in corpora
	args   string
}{
	{"v4 v6 v3 drops", "convert IN -o OUT --format v6"},
	{"v4 v6 v3 drops", "convert IN -o OUT --format v6 --compact"},
	{"v4 v6 v3 drops", "convert IN -o OUT --format v6 --uncompressed"},
	{"v4 v6 v3 drops", "convert IN -o OUT --format v5"},
	{"v4 v6 v3 drops", "convert IN -o OUT --format v4"},
	{"v4 v6 v3 drops", "convert IN -o OUT --format v4 --compact"},
	{"v4 v6 v3 drops", "convert IN -o OUT --format v4 --no-tags"},
	{"v4 v6 drops", "convert IN -o OUT.gz --preserve"},
	{"v4 v6 v3 drops", "slice IN -o OUT --to 1s"},
	{"v4 v6 v3 drops", "slice IN -o OUT --split 100KB"},
	{"v4 v6 v3 drops", "slice IN -o OUT --split 100ms --format v6"},
	{"v4 v6 v3 drops", "slice IN -o OUT --drop-rundown --redact"},
	{"v4 v6 v3 drops", "slice IN -o OUT --redact=paths --to 500ms"},
	{"v4 v6 v3 drops", "merge IN OTHER -o OUT"},
	{"v4 v6 v3 drops", "merge --separate IN OTHER -o OUT.zst"},
	{"v4 v6 drops cut killed", "repair IN -o OUT"},
	{"v4", "collect --port PORT,connect --duration 50ms -o OUT"},
	{"v4", "collect --port PORT,connect --duration 50ms -o OUT.zst --keep-raw"},
	{"v4", "collect --port PORT,connect --duration 50ms -o OUT.gz --raw"},
	{"v4", "collect --port PORT,connect --duration 50ms -o OUT --names early"},
	{"v4", "collect --port PORT,connect --duration 50ms -o OUT --names both"},
	{"v4", "collect --port PORT,connect --duration 50ms -o OUT --rundown false --no-thread-times"},
	{"v4", "collect --port PORT,connect --max-size 100KB -o OUT"},
	{"v4", "collect --port PORT,connect --duration 50ms -o OUT --ring 1m"},
	{"large", "collect --port PORT,connect --duration 200ms -o OUT --ring 1MiB"},
	{"large", "collect --port PORT,connect --duration 200ms -o OUT --rotate 1MiB"},
	{"v4", "collect --port PORT,connect --duration 200ms -o OUT --ring 1m --write-on Microsoft-Windows-DotNETRuntime/GC/Start --max-files 3"},
	{"v4", "collect --port PORT,connect --duration 50ms -o OUT --format speedscope"},
}

// writtenInputs are the traces in corpora by the names that written uses.
var writtenInputs = map[string]string{
	"v4": "net10-mix-gc.v4", "v6": "gen-windows.v6", "v3": "net10-netperf.v3", "drops": "gen-drops.v6",
	"large": "net10-mix-cpu.v4", "cut": "net10-killed-cut.v4", "killed": "gen-cut-object.v6",
}

// TestWritersAreClean: check has no finding about any trace that a command writes.
func TestWritersAreClean(t *testing.T) {
	inputs := map[string][]byte{}
	for name, of := range writtenInputs {
		inputs[name] = testfile.Plain(t, of)
	}
	other := testfile.New(t, "other.nettrace", inputs["v4"])
	for _, w := range written {
		for name := range strings.FieldsSeq(w.inputs) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out.nettrace")
			values := []string{"IN", testfile.New(t, name+".nettrace", inputs[name]), "OTHER", other, "OUT", out}
			if strings.Contains(w.args, "PORT") {
				r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: inputs[name]}})
				values = append(values, "PORT", r.Address())
			}
			got := programtest.Run(t, nil, strings.Fields(strings.NewReplacer(values...).Replace(w.args))...)
			if got.Code != exit.Done {
				t.Errorf("%s of %s: exit code %d: %s", w.args, name, got.Code, got.Stderr)
			}
			clean(t, w.args+" of "+name, dir)
		}
	}
}

// clean demands that check has no finding about any trace in a folder, which has at least one.
func clean(t *testing.T, what, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.nettrace*"))
	expect.NoError(t, err)
	traces := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".json") {
			continue
		}
		traces++
		if got := programtest.Run(t, nil, "check", file); !strings.Contains(got.Out, "no finding") {
			t.Errorf("%s, file %s: %s%s", what, filepath.Base(file), got.Out, got.Stderr)
		}
	}
	expect.AtLeast(t, "traces of "+what, traces, 1)
}
