package codec_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestActivitiesCarriedOver: in v4 a row that does not write an activity id has
// that of the row before, the own and the related one each, also after more rows
// than the Reader decodes at once.
func TestActivitiesCarriedOver(t *testing.T) {
	a, b, c, d := wire.GUID{0xA}, wire.GUID{0xB}, wire.GUID{0xC}, wire.GUID{0xD}
	rows := bytesOf(byte(wire.RowMetadataID|wire.RowActivity|wire.RowRelated), byte(1), byte(1), a[:], b[:])
	want := []wire.GUID{a, b}
	same := func(n int) {
		for range n {
			rows = append(rows, 0, 1)
			want = append(want, want[len(want)-2:]...)
		}
	}
	same(1)
	rows = append(rows, bytesOf(byte(wire.RowActivity), byte(1), c[:])...)
	want = append(want, c, b)
	same(300)
	rows = append(rows, bytesOf(byte(wire.RowRelated), byte(1), d[:])...)
	want = append(want, c, d)
	same(300)
	stream := newV4(4, 4).metadata(1, "E", uint32(0)).block("EventBlock", eventBlock(wire.BlockCompressed, rows)).end()
	var got []wire.GUID
	for e, err := range codec.NewBytesReader(stream, codec.Options{}).Events() {
		expect.NoError(t, err)
		got = append(got, e.Activity(), e.RelatedActivity())
	}
	expect.Slices(t, "activities", got, want)
}
