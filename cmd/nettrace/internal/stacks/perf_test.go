package stacks_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestPerfSamples: samples of the operating system have their sampler, a weight and a kind of
// each frame, and chains of 127 frames are truncated, those of 100 are not.
func TestPerfSamples(t *testing.T) {
	for _, c := range []struct {
		trace                                    string
		samples, cut, kernel, managed, atAddress int
		weight                                   int64
	}{
		{"own-native10-997", 5128, 160, 4474, 35299, 56879, 1003009},
		{"rt-net10-perfmap", 1246, 0, 1011, 4109, 6301, 1000000},
		{"rt-sys-cswitch", 1827, 0, 33822, 20236, 51587, 1000000},
	} {
		t.Run(c.trace, func(t *testing.T) {
			path := filepath.Join(shared.Dir(t), "perf", "v6", c.trace+".v6.nettrace.zst")
			r := programtest.Run(t, nil, "stacks", "--format", "ndjson", "--details", path)
			r.Exits(t, exit.Done)
			kinds := map[string]int{}
			samples, cut, inFile := 0, 0, 0
			for line := range strings.Lines(r.Out) {
				var s struct {
					Sampler, State string
					WeightNs       int64
					Cut            bool
					Frames         []struct{ Name, Kind, BuildID string }
				}
				if err := json.Unmarshal([]byte(line), &s); err != nil {
					t.Fatal(err)
				}
				for _, f := range s.Frames {
					kinds[f.Kind]++
					if strings.Contains(f.Name, "+0x") {
						inFile++
					}
				}
				if s.Sampler == "" {
					continue
				}
				samples++
				if s.Sampler != "perf" || s.State != "running" || s.WeightNs != c.weight {
					t.Fatal(line)
				}
				if s.Cut {
					cut++
					if last := s.Frames[len(s.Frames)-1]; last.Kind != "truncated" || last.Name != "[truncated at 127 frames]" {
						t.Fatal(last)
					}
				}
			}
			expect.Equal(t, "samples", samples, c.samples)
			expect.Equal(t, "truncated", cut, c.cut)
			expect.Equal(t, "kernel frames", kinds["kernel"], c.kernel)
			expect.Equal(t, "managed frames", kinds["managed"], c.managed)
			expect.Equal(t, "frames at a place in a file", inFile, c.atAddress)
		})
	}
}
