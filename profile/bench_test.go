package profile_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{"roslyn-net10-cpu.v4", "azmcp-net10-cpu.v4", "aspnet-net10.v4", "net10-deep.v4"} {
		for _, repair := range []string{"on", "off"} {
			b.Run("trace="+name+"/repair="+repair, func(b *testing.B) {
				trace := shared.Trace(b, name)
				b.SetBytes(int64(len(trace)))
				for b.Loop() {
					r := codec.NewReader(bytes.NewReader(trace), codec.Options{})
					if _, err := profile.FromReader(context.Background(), r, profile.Options{NoRepair: repair == "off"}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
