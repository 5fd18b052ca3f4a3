package program_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestSliceOpenWaits checks up to when waits that have not ended count in slices:
// up to the end of what the slice holds, also where the format cannot record it,
// not up to the events that name its frames.
func TestSliceOpenWaits(t *testing.T) {
	src := testfile.New(t, "a.nettrace", testfile.Plain(t, "net10-mix-locks.v4"))
	waits := func(t *testing.T, args ...string) float64 {
		t.Helper()
		r := programtest.Run(t, nil, append([]string{"top", "--json", "--type", "wait"}, args...)...)
		var got struct{ Total float64 }
		if err := json.Unmarshal([]byte(r.Out), &got); err != nil || got.Total == 0 {
			t.Fatalf("top %v: %v, %q", args, err, r.Stderr)
		}
		return got.Total
	}
	for _, c := range []struct {
		name, slice, window string
		min                 float64 // of what the source has in the window
	}{
		{"end, v4", "--to 1s", "--to 1s", 0.8}, // up to its last event
		{"end, v6", "--to 1s --format v6", "--to 1s", 1},
		{"events of one provider, v4", "--provider Microsoft-Windows-DotNETRuntime", "", 1},
		{"events of one provider, v6", "--provider Microsoft-Windows-DotNETRuntime --format v6", "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "b.nettrace")
			if r := programtest.Run(t, nil, append([]string{"slice", src, "-o", dst}, strings.Fields(c.slice)...)...); r.Code != exit.Done {
				t.Fatal(r.Stderr)
			}
			got, want := waits(t, dst), waits(t, append(strings.Fields(c.window), src)...)
			if got > want || got < c.min*want {
				t.Errorf("waits of %g ns, want %g to %g", got, c.min*want, want)
			}
		})
	}
}
