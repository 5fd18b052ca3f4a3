package program_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
)

// TestOtherCompressions: a file whose extension promises a compression that is not written is refused.
func TestOtherCompressions(t *testing.T) {
	for name, wrong := range map[string]bool{"a.nettrace.bz2": true, "a.XZ": true, "a.zip": true, "a.nettrace": false, "a.nettrace.zst": false, "a.gz": false, "a": false, "-": false, "bz2": false} {
		if err := formats.CheckTraceName(name); (err != nil) != wrong {
			t.Errorf("%s: %v", name, err)
		}
	}
}
