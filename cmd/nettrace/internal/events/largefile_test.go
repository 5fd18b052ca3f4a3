package events

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/longtrace"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// countingAt counts the bytes that are read, from the start and at places.
type countingAt struct {
	io.Reader
	at    io.ReaderAt
	bytes int64
}

func (c *countingAt) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.bytes += int64(n)
	return n, err
}

func (c *countingAt) ReadAt(b []byte, offset int64) (int, error) {
	n, err := c.at.ReadAt(b, offset)
	c.bytes += int64(n)
	return n, err
}

// TestSecondOfLargeFile prints one second of a file of 1 GB and counts what is
// read of it. The file is made where it is read; all else is what events does.
func TestSecondOfLargeFile(t *testing.T) {
	tier.NeedsCheck(t) // it makes a file of 1 GB
	stream := shared.Trace(t, "azmcp-net10-cpu.v4")
	long, err := longtrace.New(stream, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, order string }{{"2s", "3s", "file"}, {"2s", "3s", "time"}, {"2m", "2m1s", "file"}} {
		t.Run(c.from+" to "+c.to+" order="+c.order, func(t *testing.T) {
			src := &countingAt{Reader: io.NewSectionReader(long, 0, long.Size()), at: long}
			var out, stderr strings.Builder
			p := &run.Program{Stdout: &out, Stderr: &stderr}
			o := &options{Criteria: filter.Criteria{From: c.from, To: c.to}, format: choice.Of(choice.Text), order: c.order, fields: true}
			in := &input.File{Name: "long.nettrace", Plain: src, At: src, Stored: long.Size(), Regular: true}
			l, err := o.listing(p.Stdout)
			if err != nil {
				t.Fatal(err)
			}
			if err := list(p, context.Background(), in, l, o); err != nil || p.Code != exit.Done {
				t.Errorf("exit %d, %v, stderr %s", p.Code, err, stderr.String())
			}
			lines := strings.Count(out.String(), "\n")
			share := float64(src.bytes) / float64(long.Size())
			t.Logf("%+v: %d events; %d of %d bytes read: %.2f %%", c, lines, src.bytes, long.Size(), 100*share)
			if lines < 10_000 || share >= 0.05 {
				t.Errorf("%d events, %.1f %% of the file was read", lines, 100*share)
			}
		})
	}
}
