package summary_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/summary"
)

// FuzzDecode reads JSON as a Summary: what Decode accepts can be merged, encoded and read
// again.
func FuzzDecode(f *testing.F) {
	b := summary.NewBuilder(options)
	expect.NoError(f, b.AddTrace(f.Context(), file("x", shared.Trace(f, "net10-mix-gc.v4"))))
	plain, err := json.Marshal(b.Summary())
	expect.NoError(f, err)
	f.Add(plain)
	f.Add([]byte(`{"version":1,"stacks":{"depth":[1],"function":[0]},"functions":[{"name":"a"}],"samples":[{"type":"wall","node":[0,1],"count":[1,2],"value":[3,4]}],"durations":[{"kind":"wait","count":1,"zeros":1,"first":3,"bins":[1,0,2]}]}`))
	z, err := zstd.NewWriter(nil)
	expect.NoError(f, err)
	f.Fuzz(func(t *testing.T, plain []byte) {
		s, err := summary.Decode(z.EncodeAll(plain, nil))
		if err != nil {
			return
		}
		b := summary.NewBuilder(summary.Options{})
		if b.Merge(s) != nil {
			return
		}
		data, err := b.Summary().Encode()
		expect.NoError(t, err)
		again, err := summary.Decode(data)
		expect.NoError(t, err)
		expect.Stop(t)
		b = summary.NewBuilder(summary.Options{})
		expect.NoError(t, b.Merge(again))
		second, err := b.Summary().Encode()
		expect.NoError(t, err)
		if !bytes.Equal(second, data) {
			t.Error("the Summary of a Summary has other bytes")
		}
	})
}
