package symbols

import (
	"reflect"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// TestStoredTexts: the texts of points are read as they were written, and malformed texts as
// nothing.
func TestStoredTexts(t *testing.T) {
	points := []clrfile.Point{{IL: 0, Line: 12, EndLine: 12, Document: 1}, {IL: 7}, {IL: 9, Line: 14, EndLine: 14, Document: 2}}
	text := pointsText(points)
	expect.Equal(t, "text", text, "0:12:1 7 9:14:2")
	if got := parsePoints(text); !reflect.DeepEqual(got, points) {
		t.Errorf("%v, want %v", got, points)
	}
	body := parseEffects("4-27\t9t\t12cWork\t12f\t20i")
	expect.Equal(t, "caught", body.Caught(4) && body.Caught(26) && !body.Caught(27), true)
	want := clrfile.Statement{Throws: true, Faults: true, Calls: []string{"Work"}}
	if got := body.Statement(9, 20); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, bad := range []string{"", "4", "x", "4-", "4-x", "-", "9z", "99999999999t"} {
		if parseEffects(bad) != nil {
			t.Errorf("effects %q are accepted", bad)
		}
	}
	for _, bad := range []string{"1:2:3:4", "x", "1:x", "1::2", "99999999999:1:1"} {
		if parsePoints(bad) != nil {
			t.Errorf("points %q are accepted", bad)
		}
	}
}

// TestCutText: the parts of a text are joined to the text, and no character is cut.
func TestCutText(t *testing.T) {
	text, joined := "", ""
	for len(text) < 3*longestPart {
		text += "12:\u00e9\u20ac"
	}
	for part, rest := cutText(text); ; part, rest = cutText(rest) {
		joined += string([]rune(part))
		if rest == "" {
			break
		}
	}
	expect.Equal(t, "joined", joined == text, true)
}
