package codec_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestThreadRedefined: another row with the index of a thread is a defect,
// wherever the two rows differ; an equal one is not.
func TestThreadRedefined(t *testing.T) {
	name := bytesOf(byte(wire.ThreadName), text("main"))
	process := bytesOf(byte(wire.ThreadOSProcessID), varuint(0))
	id := bytesOf(byte(wire.ThreadOSThreadID), varuint(0))
	pool := bytesOf(byte(wire.ThreadKeyValue), text("pool"), text("1"))
	first := bytesOf(name, process, id, pool)
	for _, c := range []struct {
		name   string
		second []byte
		want   int
	}{
		{"equal", first, 0},
		{"equal in another order", bytesOf(pool, id, process, name), 0},
		{"another name", bytesOf(byte(wire.ThreadName), text("pool"), process, id, pool), 1},
		{"another process", bytesOf(name, byte(wire.ThreadOSProcessID), varuint(1), id, pool), 1},
		{"no process instead of process 0", bytesOf(name, id, pool), 1},
		{"another id", bytesOf(name, process, byte(wire.ThreadOSThreadID), varuint(1), pool), 1},
		{"no id instead of id 0", bytesOf(name, process, pool), 1},
		{"another value of an attribute", bytesOf(name, process, id, byte(wire.ThreadKeyValue), text("pool"), text("2")), 1},
		{"another key of an attribute", bytesOf(name, process, id, byte(wire.ThreadKeyValue), text("pond"), text("1")), 1},
		{"no attribute", bytesOf(name, process, id), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			stream := newV6().block(wire.KindThread, sized(varuint(3), first), sized(varuint(3), c.second)).end()
			got := drain(codec.NewBytesReader(stream, codec.Options{}))
			expect.NoError(t, got.err)
			expect.Len(t, "defects", got.defects, c.want)
			for _, d := range got.defects {
				expect.Equal(t, "rule", d.Rule, rule.THR004)
			}
		})
	}
}
