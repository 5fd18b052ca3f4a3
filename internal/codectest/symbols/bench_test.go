package symbols_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// BenchmarkNames reads a trace without names and with those of all its stacks;
// the difference is the cost of names.
func BenchmarkNames(b *testing.B) {
	for _, name := range []string{"azmcp-net10-cpu.v4", "roslyn-net10-cpu.v4", "aspnet-net10.v4"} {
		data := shared.Trace(b, name)
		for _, names := range []bool{false, true} {
			b.Run(map[bool]string{false: "names=off", true: "names=on"}[names]+"/trace="+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					readNames(b, data, names)
				}
			})
		}
	}
}

func readNames(b *testing.B, data []byte, names bool) {
	t := symbols.NewTable(symbols.Options{})
	known := map[uint64]uint64{}
	for e, err := range codec.NewBytesReader(data, generous).Events() {
		if err != nil {
			b.Fatal(err)
		}
		if names {
			t.Add(e)
		}
		for _, a := range e.Stack() {
			if _, again := known[a]; !again {
				known[a] = symbols.Process(e)
				if names {
					t.AddWanted(known[a], a)
				}
			}
		}
	}
	if !names {
		return
	}
	for a, process := range known {
		if t.Lookup(symbols.Query{Process: process, Address: a, Ticks: 0}).RawName() == "" {
			b.Fatal("no name")
		}
	}
}

// generous are limits for the largest regions of the traces.
var generous = codec.Options{
	OnError: codec.Skip,
	Limits:  codec.Limits{Block: 1 << 30, Stacks: 256 << 20, Total: 1 << 30},
}
