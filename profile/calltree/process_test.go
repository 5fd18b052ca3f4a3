package calltree

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSource: the samples of a process come from the trace, or from the sources of a
// merged trace that have the process.
func TestSource(t *testing.T) {
	var merged codec.Trace
	for _, kv := range [][2]string{{"Source1.Name", "a"}, {"Source1.ProcessId", "1"}, {"Source2.Name", "b"}, {"Source2.ProcessId", "2"}, {"Source3.Name", "c"}, {"Source3.ProcessId", "1"}} {
		merged.Properties = append(merged.Properties, codec.KeyValue{Key: kv[0], Value: kv[1]})
	}
	for name, c := range map[string]struct {
		trace   codec.Trace
		process uint64
		want    string
	}{
		"one file":       {codec.Trace{}, 1, "file"},
		"one source":     {merged, 2, "b"},
		"two sources":    {merged, 1, "a or c"},
		"without source": {merged, 3, "(unknown)"},
	} {
		t.Run(name, func(t *testing.T) { expect.Equal(t, "source", Source(&c.trace, c.process, "file"), c.want) })
	}
}
