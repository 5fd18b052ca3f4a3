package perfetto_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
	"github.com/nettrace-go/nettrace/profile/perfetto"
)

func read(ctx context.Context, data []byte) (*profile.Profile, error) {
	return profile.FromReader(ctx, codec.NewBytesReader(data, codec.Options{OnError: codec.Skip}), profile.Options{Marks: true})
}

// Write a file for ui.perfetto.dev, and count its packets.
func ExampleWrite() {
	data, err := corpora.Open("net10-mix-locks.v4")
	if err != nil {
		log.Fatal(err)
	}
	p, err := read(context.Background(), data)
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := perfetto.Write(&out, p, perfetto.Options{}); err != nil {
		log.Fatal(err)
	}
	packets := 0
	for b := out.Bytes(); len(b) > 0; packets++ {
		b = b[protowire.ConsumeFieldValue(1, protowire.BytesType, b[1:])+1:]
	}
	fmt.Println(packets, "packets")
	// Output: 6786 packets
}

// TestImporter: the importer's rules hold for real traces, and the own weights of the methods are
// those of the profile.
func TestImporter(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	checker := filepath.Join(shared.Dir(t), "exchange", "perfetto", "check.py")
	for name, data := range map[string][]byte{
		"locks": shared.Trace(t, "net10-mix-locks.v4"), "exceptions and waits": shared.Trace(t, "net10-mix-cpu.v4"), "requests": shared.Trace(t, "net10-http.v4"),
		"async": shared.File(t, "async11/async11-runtime-cpu.v4.nettrace.zst"), "version 6": shared.Trace(t, "aspnet-net10.v4"),
	} {
		p, err := read(t.Context(), data)
		expect.NoError(t, err)
		var out bytes.Buffer
		expect.NoError(t, perfetto.Write(&out, p, perfetto.Options{}))
		path := filepath.Join(t.TempDir(), "x.pftrace")
		expect.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
		text, err := exec.Command(python, checker, path).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %.500s", name, err, text)
			continue
		}
		var got struct {
			Samples int
			Self    map[string]float64
			Slices  [][]any
		}
		expect.NoError(t, json.Unmarshal(text, &got))
		samples, want := 0, map[string]float64{}
		names := calltree.NewNames(p, calltree.Naming(false))
		for _, typ := range p.Types() {
			for s := range p.Samples(typ) {
				samples++
				if frames := p.Stack(s.Stack); len(frames) > 0 {
					want[names.List[names.ID(frames[0])].Text] += float64(s.Value)
				}
			}
		}
		expect.Equal(t, name+": samples", got.Samples, samples)
		for method, weight := range want {
			if math.Abs(got.Self[method]-weight) > 1 {
				t.Errorf("%s: own weight of %s: %v, want %v", name, method, got.Self[method], weight)
			}
		}
	}
}
