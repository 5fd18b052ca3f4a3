package eventpipe

import (
	"context"
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// answering opens connections to a runtime that answers a command with a payload.
func answering(payload func() []byte) func(context.Context) (net.Conn, error) {
	return func(context.Context) (net.Conn, error) {
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			if _, _, err := readMessage(far); err == nil {
				answer := payload()
				_, _ = far.Write(append(appendHeader(nil, replyOK, len(answer)), answer...))
			}
		}()
		return near, nil
	}
}

// TestDumpMissing: a runtime reports a dump that it has not written.
func TestDumpMissing(t *testing.T) {
	old := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(path, text string, at time.Time) {
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		expect.NoError(t, os.Chtimes(path, at, at))
	}
	for _, c := range []struct {
		name   string
		before bool              // there is a file
		write  func(path string) // what the runtime does
		hidden bool              // the runtime's files are not visible
		want   string            // of the error; "" for none
	}{
		{name: "none", write: func(string) {}, want: "there is no file /dump"},
		{name: "written", write: func(path string) { write(path, "dump", old) }},
		{name: "an old one", before: true, write: func(string) {}, want: "the file /dump has not changed"},
		{name: "an old one, other size", before: true, write: func(path string) { write(path, "new dump", old) }},
		{name: "an old one, other time", before: true, write: func(path string) { write(path, "dump", old.Add(time.Second)) }},
		{name: "an old one, replaced", before: true, write: func(path string) {
			write(path+".new", "dump", old)
			expect.NoError(t, os.Rename(path+".new", path))
		}},
		{name: "removed", before: true, write: func(path string) { expect.NoError(t, os.Remove(path)) }, want: "there is no file /dump"},
		{name: "not visible", hidden: true, write: func(string) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, "dump")
			if c.before {
				write(path, "dump", old)
			}
			client := &Client{root: root, open: answering(func() []byte {
				c.write(path)
				return []byte{0, 0, 0, 0}
			})}
			if c.hidden {
				client.root = ""
			}
			err := client.WriteDump(t.Context(), DumpConfig{Path: "/dump", Type: DumpFull})
			if c.want == "" {
				expect.NoError(t, err)
			} else if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error: got %v, want one with %q", err, c.want)
			}
		})
	}
}

// TestEnvironmentSize: an environment above the limit is an error before any of it is read.
func TestEnvironmentSize(t *testing.T) {
	for _, c := range []struct {
		name string
		size uint32
		want string
	}{
		{"at the limit", maxEnvironment, "ends in the middle of a value"},
		{"above", maxEnvironment + 1, "has 67108865 bytes, more than the limit of 67108864"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := &Client{open: answering(func() []byte { return binary.LittleEndian.AppendUint32(nil, c.size) })}
			_, err := client.Environment(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error: got %v, want one with %q", err, c.want)
			}
		})
	}
}
