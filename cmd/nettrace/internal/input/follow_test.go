package input

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestFollowing is the waiting reader alone.
func TestFollowing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	w, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	r := &following{ctx, f, time.Millisecond}
	for _, text := range []string{"one", "two"} {
		t.Run(text, func(t *testing.T) {
			go func() {
				time.Sleep(5 * time.Millisecond)
				_, _ = w.WriteString(text)
			}()
			b := make([]byte, 3)
			if _, err := io.ReadFull(r, b); err != nil || string(b) != text {
				t.Errorf("%q, %v; want %s", b, err, text)
			}
		})
	}
	cancel()
	if n, err := r.Read(make([]byte, 3)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %d, %v", n, err)
	}
}
