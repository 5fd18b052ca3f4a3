package incoming_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// TestPathPattern replaces digits and GUIDs, and nothing else.
func TestPathPattern(t *testing.T) {
	for _, c := range []struct{ name, path, route string }{
		{"empty", "", ""}, {"root", "/", "/"}, {"digits", "/a/17/", "/a/{n}/"}, {"letters", "/a1/b2", "/a1/b2"},
		{"GUID", "/3f2504e0-4f89-11d3-9a0c-0305e82c3301/x", "/{guid}/x"}, {"GUID without hyphens", "/3f2504e04f8911d39a0c0305e82c3301", "/{guid}"},
		{"hexadecimal", "/3f2504e0-4f89", "/3f2504e0-4f89"}, {"query", "/a?b=/1", "/a"},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "route", incoming.PathPattern(c.path), c.route) })
	}
}
