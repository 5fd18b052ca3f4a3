//go:build unix

package stack

import (
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestSlowRundown: after the events of a session, a process may be silent for longer than
// the sampler waits for the events.
func TestSlowRundown(t *testing.T) {
	tier.NeedsCheck(t) // it waits a second
	const patience = 500 * time.Millisecond
	data := shared.TruthFile(t, "deadlock.v4.nettrace.zst")
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		session, err := accept(l)
		if err != nil {
			return // the sampler has failed
		}
		defer session.Close()
		_, _ = session.Write(data[:400])
		stop, err := accept(l)
		if err != nil {
			return
		}
		defer stop.Close()
		_, _ = session.Write(data[400:500])
		time.Sleep(2 * patience)
		_, _ = session.Write(data[500:])
	}()
	m := &sampler{&attach.Process{Client: eventpipe.NewClient(l.Addr().String())}, patience, []time.Duration{time.Millisecond}}
	s, err := m.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "threads", s.threads, 7)
}

// accept reads a command and answers that it succeeded, with the number 1.
func accept(l net.Listener) (net.Conn, error) {
	conn, err := l.Accept()
	if err != nil {
		return nil, err
	}
	header := make([]byte, 20)
	_, _ = io.ReadFull(conn, header)
	_, _ = io.CopyN(io.Discard, conn, int64(binary.LittleEndian.Uint16(header[14:]))-20)
	answer := append([]byte("DOTNET_IPC_V1\x00"), 28, 0, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)
	_, _ = conn.Write(answer)
	return conn, nil
}
