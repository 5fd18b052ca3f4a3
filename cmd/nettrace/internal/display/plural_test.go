package display_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
)

func TestCounted(t *testing.T) {
	for _, c := range []struct {
		n    int64
		what string
		want string
	}{
		{0, "event", "0 events"}, {1, "event", "1 event"}, {1, "process", "1 process"}, {3, "process", "3 processes"},
		{1234, "process id", "1,234 process ids"},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := display.Counted(c.n, c.what); got != c.want {
				t.Errorf("counted(%d, %q) = %q, want %q", c.n, c.what, got, c.want)
			}
		})
	}
}
