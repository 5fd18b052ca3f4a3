package progress

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestProgress drives a bar with a clock of its own.
func TestProgress(t *testing.T) {
	if g := New(&bytes.Buffer{}, 100, true); g != nil {
		t.Error("a bar although nobody looks")
	}
	var nobody *Bar
	nobody.Stop()
	if src := strings.NewReader("x"); nobody.Watch(src) != io.Reader(src) {
		t.Error("nothing to watch, and yet it does")
	}
	var screen bytes.Buffer
	g := &Bar{to: &screen, size: 1 << 20, started: time.Now()}
	src := g.Watch(strings.NewReader(strings.Repeat("x", 1000)))
	_, err := io.Copy(io.Discard, src)
	expect.NoError(t, err)
	expect.Equal(t, "g.read", g.read, 1000)
	expect.Equal(t, "g.bar", g.bar, nil)
	g.reach(1000+(1<<19), g.started.Add(progressAfter))
	if g.bar == nil {
		t.Fatal("no bar after a second")
	}
	time.Sleep(400 * time.Millisecond)
	g.Stop()
	g.Stop()
	if text := screen.String(); !strings.Contains(text, "513.0 KiB / 1.0 MiB") {
		t.Errorf("the bar shows %q", text)
	}
}
