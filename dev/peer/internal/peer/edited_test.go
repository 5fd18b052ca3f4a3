package peer

import (
	"bytes"
	"context"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// TestEdited: the peer reads the source's events from the v4 traces that edit
// writes: encoded again, in large blocks, converted from v6 and from v3, and
// repaired.
func TestEdited(t *testing.T) {
	v4 := edit.ConvertOptions{Format: wire.V4}
	large := v4
	large.Compact = true
	for _, e := range shared.Corpora(t) {
		t.Run(e.Name, func(t *testing.T) {
			if e.Format == "v6" || e.Format == "v5" || cannot[e.Name] != "" {
				return
			}
			source := open(t, e.Name)
			want, err := source.Pass("stream", codec.Options{})()
			if err != nil {
				t.Fatal(err)
			}
			there := made(t, source.Data, edit.ConvertOptions{})
			for what, data := range map[string][]byte{
				"v4": made(t, source.Data, v4), "compact": made(t, source.Data, large), "back from v6": made(t, there, v4),
			} {
				if got, err := Pass(workload.NewTrace(e.Name, data))(); err != nil || got != want {
					t.Errorf("%s: the peer saw %+v, want %+v; %v", what, got, want, err)
				}
			}
			if e.Format == "v3" {
				return
			}
			var repaired bytes.Buffer
			if _, err := edit.Repair(context.Background(), &repaired, bytes.NewReader(source.Data), codec.Options{}); err != nil {
				t.Fatal(err)
			}
			if got, err := Pass(workload.NewTrace(e.Name, repaired.Bytes()))(); err != nil || got != want {
				t.Errorf("repaired: the peer saw %+v, want %+v; %v", got, want, err)
			}
		})
	}
}

func made(t *testing.T, data []byte, opt edit.ConvertOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := edit.Convert(context.Background(), &out, codec.NewBytesBlockReader(data, codec.Options{}), opt); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
