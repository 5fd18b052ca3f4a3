package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Answer is the output of the other reader for one trace.
type Answer struct {
	Rows []Row
	Lost int64  // lost events as it counts them
	Fail string // the error that stopped it, "" at the end of the trace
}

// Ask runs the other reader, the program te, on a trace that is not compressed.
func Ask(te, trace string) (*Answer, error) {
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	prefix := filepath.Join(dir, "answer")
	cmd := exec.Command(te, "dump", trace, prefix)
	// A process that runs for a second neither gains by recompiling nor by a thread for collections.
	cmd.Env = append(cmd.Environ(), "DOTNET_TieredPGO=0", "DOTNET_gcConcurrent=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd, err, bytes.TrimSpace(out))
	}
	table, err := os.ReadFile(prefix + ".events.tsv")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(prefix + ".summary.json")
	if err != nil {
		return nil, err
	}
	var summary struct {
		EventsLost int64
		Error      string
	}
	if err := json.Unmarshal(text, &summary); err != nil {
		return nil, err
	}
	rows, err := Parse(string(table))
	return &Answer{Rows: rows, Lost: summary.EventsLost, Fail: summary.Error}, err
}
