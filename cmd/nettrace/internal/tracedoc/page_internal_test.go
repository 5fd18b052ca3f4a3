package tracedoc

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/view"
)

// TestPrivate: a page lists only what it does not have; its events have the command line and
// the messages of exceptions.
func TestPrivate(t *testing.T) {
	for _, c := range []struct {
		name string
		page Page
		want []string
	}{
		{"without flags", Page{}, []string{"command line", "messages of exceptions"}},
		{"command line", Page{CommandLine: true}, []string{"messages of exceptions"}},
		{"events", Page{Events: true}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &view.Source{}
			c.page.private(s)
			if !slices.Equal(s.LeftOut, c.want) {
				t.Errorf("left out %q, want %q", s.LeftOut, c.want)
			}
			expect.Equal(t, "command", s.Command, "")
		})
	}
}

// TestQuoted quotes each name that a shell could interpret.
func TestQuoted(t *testing.T) {
	for name, want := range map[string]string{"a-1.nettrace": "a-1.nettrace", "a\nb": "'a\nb'", "a#b": "'a#b'", "it's": `'it'\''s'`} {
		expect.Equal(t, name, Quoted(name), want)
	}
}
