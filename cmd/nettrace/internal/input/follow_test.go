package input

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestFollowing reads a file that grows as one of collect does: an end mark at its end is
// delivered after the context is done, and bytes like one before that are not withheld.
func TestFollowing(t *testing.T) {
	const five, six = "Nettrace\x14\x00\x00\x00", "Nettrace\x00\x00\x00\x00"
	for _, c := range []struct {
		name, first, second string // the contents of the file
		want                string // delivered of first
	}{
		{"end mark of format 5", five + "one\x01", five + "onetwo\x01\x01", five + "one"},
		{"end mark of format 6", six + "one\x00\x00\x00\x00", six + "onetwo\x00\x00\x00\x00", six + "one"},
		{"no end mark", five + "one", five + "one\x01two", five + "one"},
		{"compressed", "\x28\xb5\x2f\xfd0123456789\x01", "\x28\xb5\x2f\xfd0123456789\x01two", "\x28\xb5\x2f\xfd0123456789\x01"},
		{"short", "\x01", five + "two", "\x01"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x")
			write := func(text string) { expect.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
			write(c.first)
			synctest.Test(t, func(t *testing.T) {
				f, err := os.Open(path)
				expect.NoError(t, err)
				defer f.Close()
				ctx, cancel := context.WithCancel(t.Context())
				read := make(chan string, 1000)
				go func() {
					defer close(read)
					src, b := Follow(ctx, f), make([]byte, 3)
					for {
						n, err := src.Read(b)
						if err != nil {
							expect.Equal(t, "error", errors.Is(err, io.EOF), true)
							return
						}
						read <- string(b[:n])
					}
				}()
				got := ""
				for range (len(c.want) + 2) / 3 {
					got += <-read
				}
				synctest.Wait()
				expect.Equal(t, "first bytes", got, c.want)
				expect.Equal(t, "reads that wait", len(read), 0)
				write(c.second)
				got += <-read // after the next look at the file
				synctest.Wait()
				cancel()
				for text := range read {
					got += text
				}
				expect.Equal(t, "all bytes", got[len(c.want):], c.second[len(c.want):])
			})
		})
	}
}
