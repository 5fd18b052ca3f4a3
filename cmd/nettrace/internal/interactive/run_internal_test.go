package interactive

import (
	"io"
	"runtime"
	"testing"
	"time"
)

// TestPostWithoutScreen: after a terminal that cannot be used, Post does not block.
func TestPostWithoutScreen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no TERM")
	}
	t.Setenv("TERM", "no-such-terminal")
	p := newNumbered(1)
	if err := p.Run(t.Context(), io.Discard, false); err == nil {
		t.Fatal("no error of an unknown terminal")
	}
	posted := make(chan struct{})
	go func() {
		defer close(posted)
		p.Post(func() {})
	}()
	select {
	case <-posted:
	case <-time.After(10 * time.Second):
		t.Fatal("Post blocks")
	}
}
