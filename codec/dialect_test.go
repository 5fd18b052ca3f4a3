package codec_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

func TestCanWrite(t *testing.T) {
	for format, want := range map[wire.Format]bool{
		{}: false, wire.V3: false, wire.V4: true, wire.V5: true, wire.V6: true, {Major: 6, Minor: 1}: false, {Major: 7}: false,
	} {
		t.Run(format.String(), func(t *testing.T) {
			if got := codec.CanWrite(format); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
