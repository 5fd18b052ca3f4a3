package symbols

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// TestStoredMap: the text of a map is read as it was written, and a malformed one as nothing.
func TestStoredMap(t *testing.T) {
	points := []ILPoint{{0, Prolog}, {13, 0}, {20, NoMapping}, {58, 32}, {60, Epilog}}
	text := string(AppendMap(nil, points))
	expect.Equal(t, "text", text, "0:p 13:0 20:n 58:32 60:e")
	expect.Equal(t, "points", slices.Equal(parseMap(text), points), true)
	for _, bad := range []string{"", "1", "x:1", "1:x", "1:2:3", "99999999999:1"} {
		expect.Equal(t, bad, len(parseMap(bad)), 0)
	}
}
