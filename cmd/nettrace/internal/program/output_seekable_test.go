package program_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/seekable"
)

// TestSeekTable: each command that writes a trace writes a .zst with a seek table, with
// the bytes that it writes without compression.
func TestSeekTable(t *testing.T) {
	dir := t.TempDir()
	a := testfile.New(t, "a.nettrace", testfile.Plain(t, "onecollect-small.v6"))
	b := testfile.New(t, "b.nettrace", testfile.Plain(t, "net10-empty.v4"))
	for name, args := range map[string][]string{
		"convert": {"convert", a}, "slice": {"slice", a, "--drop-rundown"}, "repair": {"repair", a}, "merge": {"merge", a, b},
	} {
		t.Run(name, func(t *testing.T) {
			plain, packed := filepath.Join(dir, name+".nettrace"), filepath.Join(dir, name+".nettrace.zst")
			for _, out := range []string{plain, packed} {
				programtest.Run(t, nil, append(args, "-o", out)...).Exits(t, exit.Done)
			}
			want, err := os.ReadFile(plain)
			expect.NoError(t, err)
			file, err := os.ReadFile(packed)
			expect.NoError(t, err)
			expect.Bytes(t, "streamed", streamed(t, file), want)
			r, err := seekable.NewReader(bytes.NewReader(file), int64(len(file)), 8<<20)
			expect.NoError(t, err)
			expect.Stop(t)
			got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
			expect.NoError(t, err)
			expect.Bytes(t, "read at offsets", got, want)
		})
	}
}

// streamed decompresses a file with the command zstd if it is installed, or else with
// a library.
func streamed(t *testing.T, file []byte) []byte {
	t.Helper()
	if command, err := exec.LookPath("zstd"); err == nil {
		c := exec.Command(command, "-d", "-c")
		c.Stdin, c.Stderr = bytes.NewReader(file), os.Stderr
		plain, err := c.Output()
		expect.NoError(t, err)
		return plain
	}
	d, err := zstd.NewReader(nil)
	expect.NoError(t, err)
	defer d.Close()
	plain, err := d.DecodeAll(file, nil)
	expect.NoError(t, err)
	return plain
}
