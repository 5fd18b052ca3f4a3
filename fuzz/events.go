package fuzz

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// rows returns the function of event blocks, whose rows agree with the text. It sets or
// clears the flag for compressed rows.
func rows(v version, flag byte, agrees func(*eventStream, *outcome) error) func(testing.TB, []byte) {
	return func(t testing.TB, body []byte) {
		if len(body) > longestInput {
			return
		}
		if v.HasEventBlockHeaders() && len(body) > 2 {
			body = bytes.Clone(body)
			body[2] = body[2]&^wire.BlockCompressed | flag
		}
		s := newEventStream(v, body)
		if err := agrees(&s, check(t, s.b)); err != nil {
			t.Fatalf("%v\nbody: %x", err, body)
		}
	}
}
