package program_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/program"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCanceled checks that a command ends and leaves no file when its context is canceled
// while it reads.
func TestCanceled(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gc.v4")
	other := filepath.Join(t.TempDir(), "other.nettrace")
	if err := os.WriteFile(other, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string // OUT is replaced by the output
	}{
		{"convert", []string{"convert", "-", "-o", "OUT.nettrace"}},
		{"convert --preserve", []string{"convert", "-", "-o", "OUT.nettrace", "--preserve"}},
		{"convert to a profile", []string{"convert", "-", "-o", "OUT.pb.gz"}},
		{"slice", []string{"slice", "-", "-o", "OUT.nettrace", "--event", "1-9"}},
		{"slice --split", []string{"slice", "-", "-o", "OUT.nettrace", "--split", "100MB", "--drop-rundown"}},
		{"merge", []string{"merge", "-", other, "-o", "OUT.nettrace"}},
		{"repair", []string{"repair", "-", "-o", "OUT.nettrace"}},
		{"diff", []string{"diff", "-", other}},
		{"top", []string{"top", "-"}},
		{"report", []string{"report", "-"}},
		{"report gc", []string{"report", "gc", "-"}},
		{"report locks", []string{"report", "locks", "-"}},
		{"report waits", []string{"report", "waits", "-"}},
		{"stacks", []string{"stacks", "-"}},
		{"threadtime", []string{"threadtime", "-"}},
		{"heap", []string{"heap", "-"}},
		{"convert to a heap snapshot", []string{"convert", "-", "-o", "OUT.heapsnapshot"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			args := slices.Clone(c.args)
			for i, arg := range args {
				if name, is := bytes.CutPrefix([]byte(arg), []byte("OUT")); is {
					args[i] = filepath.Join(dir, "x"+string(name))
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			in := &canceling{Reader: bytes.NewReader(data), left: len(data) / 3, cancel: cancel}
			var out, stderr bytes.Buffer
			code := program.RunContext(ctx, args, in, &out, &stderr)
			expect.Equal(t, "exit code", code, exit.Interrupted)
			expect.Equal(t, "stderr", stderr.String(), "nettrace: interrupted\n")
			expect.Equal(t, "stdout", out.String(), "")
			if in.Len() == 0 && !slices.Contains(regions, c.name) {
				t.Error("the input was read to its end")
			}
			if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
				t.Errorf("files left: %v, %v", list, err)
			}
		})
	}
}

// regions are the commands that read a region, here the complete file, before its first
// event: they need events in time order.
var regions = []string{"merge", "report", "report gc", "report locks", "report waits"}

// canceling calls cancel when left bytes have been read.
type canceling struct {
	*bytes.Reader
	left   int
	cancel func()
}

func (c *canceling) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b[:min(len(b), 4<<10)])
	if c.left -= n; c.left <= 0 {
		c.cancel()
	}
	return n, err
}

// WriteTo replaces the method of bytes.Reader, which would write all bytes at once.
func (c *canceling) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, struct{ io.Reader }{c}) }
