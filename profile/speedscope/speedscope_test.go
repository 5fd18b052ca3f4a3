package speedscope_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/viewers"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/speedscope"
)

// traces are recordings with samples and with events of all other kinds.
var traces = []string{"azmcp-net10-cpu.v4", "roslyn-net10-cpu.v4", "aspnet-net10.v4", "net10-mix-cpu.v4", "net10-deep.v4", "net10-mix-locks.v4", "onecollect-small.v6"}

func load(t *testing.T, name string, opt profile.Options) *profile.Profile {
	t.Helper()
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(shared.Trace(t, name), codec.Options{}), opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestReal: the profiles of real traces nest, and their durations are those of
// their samples.
func TestReal(t *testing.T) {
	for i, name := range traces {
		if i < 3 && !tier.Check {
			continue // the large ones
		}
		t.Run(name, func(t *testing.T) {
			p := load(t, name, profile.Options{})
			for _, opt := range []speedscope.Options{{}, {Types: p.Types()}, {Types: p.Types(), Merge: true, RawNames: true}} {
				var b bytes.Buffer
				if err := speedscope.Write(&b, p, opt); err != nil {
					t.Fatal(err)
				}
				f, err := viewers.ParseSpeedscope(b.Bytes())
				if err != nil {
					t.Fatalf("%+v: %v", opt, err)
				}
				t.Logf("%d types, %d profiles, %d frames, %d bytes", len(opt.Types), len(f.Profiles), len(f.Shared.Frames), b.Len())
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, name := range []string{"azmcp-net10-cpu.v4", "roslyn-net10-cpu.v4", "aspnet-net10.v4"} {
		b.Run("trace="+name, func(b *testing.B) {
			p, err := profile.FromReader(context.Background(), codec.NewBytesReader(shared.Trace(b, name), codec.Options{}), profile.Options{})
			if err != nil {
				b.Fatal(err)
			}
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				if err := speedscope.Write(&out, p, speedscope.Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(out.Len()))
		})
	}
}
