package profile

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestNoLabelsKeepsNoTexts: the texts of labels that are left out need no memory.
func TestNoLabelsKeepsNoTexts(t *testing.T) {
	p, err := FromReader(t.Context(), codec.NewBytesReader(shared.Trace(t, "net10-deep.v4"), codec.Options{}), Options{NoLabels: true})
	expect.NoError(t, err)
	for _, key := range []string{keyExceptionType, keyExceptionMessage, keyAllocationClass, keyContentionType, keyDurationBucket} {
		_, known := p.texts.known[key]
		expect.Equal(t, "text "+key, known, false)
	}
}
