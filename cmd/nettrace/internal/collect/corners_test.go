//go:build linux

package collect_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// seen is what is known of an event in tests.
type seen struct {
	provider string
	id       uint32
	version  uint32
	name     string
	thread   uint64
	ticks    uint64
	payload  string
}

// readTrace reads a complete trace and returns its events and losses.
func readTrace(t *testing.T, path string) (list []seen, lost uint64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := codec.NewBytesReader(data, codec.Options{Schemas: clr.Schemas})
	for e, err := range r.Events() {
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		list = append(list, seen{e.Provider(), e.ID(), e.Version(), e.Name(), e.ThreadIndex, e.Timestamp, string(e.Payload())})
	}
	return list, r.Lost()
}

// dumped is the output of the other reader for a trace.
type dumped struct {
	Events, EventsLost int64
	Error              string
}

func dump(t *testing.T, path string) dumped {
	t.Helper()
	prefix := filepath.Join(t.TempDir(), "dump")
	if out, err := exec.Command(shared.OtherReader(t), "dump", path, prefix).CombinedOutput(); err != nil {
		t.Fatalf("te dump %s: %v\n%s", path, err, out)
	}
	text, err := os.ReadFile(prefix + ".summary.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dumped
	if err := json.Unmarshal(text, &d); err != nil || d.Error != "" {
		t.Fatalf("te dump %s: %v %s", path, err, d.Error)
	}
	return d
}

// agree demands that both readers read the same events and no loss.
func agree(t *testing.T, path string, lost int64) []seen {
	t.Helper()
	list, ours := readTrace(t, path)
	theirs := dump(t, path)
	expect.Equal(t, "len(list)", int64(len(list)), theirs.Events)
	expect.Equal(t, "ours", int64(ours), lost)
	expect.Equal(t, "theirs.EventsLost", theirs.EventsLost, lost)
	return list
}

// noFinding demands that the checker has nothing to report about a recording.
func noFinding(t *testing.T, path string) {
	t.Helper()
	expect.Contains(t, "check", programtest.Run(t, nil, "check", path).Out, "no finding")
}

// collected runs collect as a process of its own, to its end.
func collected(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	cmd := programtest.LongProcess(t, append([]string{"collect"}, args...)...)
	var text bytes.Buffer
	cmd.Stderr = &text
	err := cmd.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), text.String()
}

// truthOf reads what a scenario noted of itself.
func truthOf[T any](t *testing.T, path string) (list []T) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var one T
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list
}
