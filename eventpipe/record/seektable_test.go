package record

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/seekable"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// packedTo records a trace with zstd.
func packedTo(t *testing.T, d destination, regular bool, data []byte) Report {
	t.Helper()
	file, err := newFile(d, regular, Zstd)
	expect.NoError(t, err)
	report, err := New(Options{}).Run(context.Background(), bytes.NewReader(data), file)
	expect.NoError(t, err)
	return report
}

// endsWithTable reports whether a file has a seek table.
func endsWithTable(file []byte) bool {
	return bytes.HasSuffix(file, binary.LittleEndian.AppendUint32(nil, 0x8F92EAB1))
}

// at returns the bytes of a recording, read at offsets.
func at(t *testing.T, file []byte) []byte {
	t.Helper()
	r, err := seekable.NewReader(bytes.NewReader(file), int64(len(file)), 8<<20)
	expect.NoError(t, err)
	expect.Stop(t)
	defer r.Close()
	plain, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	expect.NoError(t, err)
	return plain
}

// TestSeekTable: a recording ends with a seek table, in a file and in a stream.
func TestSeekTable(t *testing.T) {
	data := shared.Trace(t, "net10-mix-locks.v4")
	for name, regular := range map[string]bool{"file": true, "stream": false} {
		t.Run(name, func(t *testing.T) {
			d := &disk{space: -1}
			report := packedTo(t, d, regular, data)
			expect.Equal(t, "complete", report.Complete(), true)
			expect.Equal(t, "has a table", endsWithTable(d.data), true)
			expect.Bytes(t, "content", at(t, d.data), data)
		})
	}
}

// TestKilledRecording: a recording that is killed has no table, and can be read at
// offsets too.
func TestKilledRecording(t *testing.T) {
	var before, last []byte
	d := &disk{space: -1, state: func(state []byte) { before, last = last, bytes.Clone(state) }}
	packedTo(t, d, true, shared.Trace(t, "net10-mix-locks.v4"))
	expect.Equal(t, "the last state has a table", endsWithTable(last), true)
	expect.Equal(t, "the state before has a table", endsWithTable(before), false)
	expect.Bytes(t, "content", at(t, before), unpacked(t, before, Zstd))
}

// tableless is a disk without space for all of a seek table.
type tableless struct{ *disk }

func (d tableless) WriteAt(b []byte, at int64) (int, error) {
	if bytes.HasPrefix(b, []byte{0x5E, 0x2A, 0x4D, 0x18}) {
		n, _ := d.disk.WriteAt(b[:len(b)/2], at)
		return n, syscall.ENOSPC
	}
	return d.disk.WriteAt(b, at)
}

// TestNoSpaceForTable: a disk that is full after the end mark has the complete trace.
func TestNoSpaceForTable(t *testing.T) {
	data := shared.Trace(t, "net10-mix-locks.v4")
	full := tableless{&disk{space: -1}}
	report := packedTo(t, full, true, data)
	expect.Equal(t, "complete", report.Complete(), true)
	expect.Equal(t, "has a table", endsWithTable(full.data), false)
	expect.Bytes(t, "content", at(t, full.data), data)
}
