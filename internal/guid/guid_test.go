package guid

import (
	"regexp"
	"testing"
)

// TestNew: GUIDs are those of version 4, and differ.
func TestNew(t *testing.T) {
	first, second := New(), New()
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("got %q, want a GUID of version 4", first)
	}
	if first == second {
		t.Errorf("got %q twice, want different GUIDs", first)
	}
}
