package codec_test

import (
	"bytes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"testing"
)

func BenchmarkZZ(b *testing.B) {
	for _, n := range []string{"azmcp-net10-cpu.v4", "net10-mix-cpu.v4", "dotnetdiag-net5-single.v4", "dotnetdiag-net5-webapp.v4", "perfview-netcore3.0-win-x64.v4", "perfview-voicememo-32bit.v4", "aspnet-net10.v4", "roslyn-net10-cpu.v4"} {
		data := shared.Trace(b, n)
		for _, mem := range []bool{false, true} {
			src := "stream"
			if mem {
				src = "mem"
			}
			b.Run(n+"/"+src, func(b *testing.B) {
				b.ReportAllocs()
				r := codec.NewReader(bytes.NewReader(data), codec.Options{})
				ev := 0
				var s uint64
				for b.Loop() {
					if mem {
						r.ResetBytes(data)
					} else {
						r.Reset(bytes.NewReader(data))
					}
					for e, err := range r.Events() {
						if err != nil {
							b.Fatal(err)
						}
						ev++
						s += e.Timestamp
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(ev), "ns/ev")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
