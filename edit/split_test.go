package edit_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

type splitPart struct {
	bytes.Buffer
	closed bool
}

func (p *splitPart) Close() error { p.closed = true; return nil }

func split(t *testing.T, data []byte, opt edit.SplitOptions) []*splitPart {
	t.Helper()
	var parts []*splitPart
	_, err := edit.Split(context.Background(), func(n int) (io.WriteCloser, error) {
		expect.Equal(t, "n", n, len(parts)+1)
		if n > 1 && !parts[n-2].closed {
			t.Errorf("part %d is opened after %d others", n, len(parts))
		}
		parts = append(parts, &splitPart{})
		return parts[n-1], nil
	}, sliceBlocks(data), opt)
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

// TestSplit: the parts have the events of the source in its order and together
// the same losses; each is complete and about as large as requested.
func TestSplit(t *testing.T) {
	names := []string{"net10-netperf.v3", "onecollect-small.v6", "net10-empty.v4", "net10-burst-dropped.v4", "net10-mix-cpu.v4", "dotnetdiag-net5-webapp.v4"}
	for _, name := range names[:less(len(names), 3)] {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			want, lost := partOf(data, edit.SliceOptions{})
			first, last := bounds(data)
			for _, size := range []edit.SplitSize{{Bytes: 400 << 10}, {Ticks: (last-first)/3 + 1}, {Bytes: 3000}} {
				t.Run(fmt.Sprintf("%+v", size), func(t *testing.T) {
					opt := edit.SliceOptions{}
					at, counted := 0, uint64(0)
					parts := split(t, data, edit.SplitOptions{SliceOptions: opt, Size: size})
					for i, part := range parts {
						r := codec.NewBytesReader(part.Bytes(), codec.Options{Strict: true})
						for e, err := range r.Events() {
							if err != nil {
								t.Fatalf("part %d: %v", i, err)
							}
							if at >= len(want) || sliceMeaning(e) != want[at] {
								t.Fatalf("part %d: event %d is another one", i, at)
							}
							at++
						}
						counted += r.Lost()
						if over := int64(part.Len()) - size.Bytes; size.Bytes > 50_000 && over > 64<<10 {
							t.Errorf("part %d has %d bytes", i, part.Len())
						}
					}
					expect.Equal(t, "at", at, len(want))
					expect.Equal(t, "lost events", counted, lost)
					expect.Equal(t, "parts[len(parts)-1].closed", parts[len(parts)-1].closed, true)
					t.Logf("%+v: %d bytes in %d parts", size, len(data), len(parts))
				})
			}
		})
	}
}
