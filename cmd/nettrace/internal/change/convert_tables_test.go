package change_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestConvertTables: convert writes the tables with the options of its flags, and returns
// the exit code of the trace or of the command line.
func TestConvertTables(t *testing.T) {
	data := testfile.Plain(t, "azmcp-net10-startup.v4")
	whole := testfile.New(t, "whole.nettrace", data)
	cut := testfile.New(t, "cut.nettrace", data[:len(data)/2])
	for _, tc := range []struct {
		name, stderr string
		args         []string
		code         int
		file         string // that is written, below the folder
	}{
		{"tables", "", []string{"--tables", "threads,lost", whole}, exit.Done, "threads.parquet"},
		{"partition", "", []string{"--tables", "threads", "--partition", "file", whole}, exit.Done, "threads/file=whole.nettrace/threads.parquet"},
		{"several goroutines", "", []string{"--tables", "threads", "--workers", "2", whole}, exit.Done, "threads.parquet"},
		{"truncated", "cut.nettrace: ", []string{"--tables", "threads", cut}, exit.Broken, "threads.parquet"},
		{"unknown table", `the trace has no table "evnts"`, []string{"--tables", "evnts", whole}, exit.Usage, ""},
		{"tables of a profile", "--tables applies to --format parquet, not to pprof", []string{"--format", "pprof", "--tables", "events", whole}, exit.Usage, ""},
		{"standard input", "standard input cannot be converted", []string{"-"}, exit.Usage, ""},
		{"flags of samples", "--type does not apply to tables", []string{"--type", "alloc", whole}, exit.Usage, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "tables")
			r := programtest.Run(t, nil, append([]string{"convert", "--format", "parquet", "-o", dir}, tc.args...)...)
			r.Exits(t, tc.code)
			r.Complains(t, tc.stderr)
			if tc.file == "" {
				return
			}
			_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(tc.file)))
			expect.NoError(t, err)
		})
	}
}
