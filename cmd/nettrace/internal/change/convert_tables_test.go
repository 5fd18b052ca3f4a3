package change_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestConvertTables: convert runs nettrace-columns with its flags and returns its exit code.
func TestConvertTables(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program in place of nettrace-columns is a script of a shell")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "nettrace-columns")
	expect.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\"\n[ $CODE = killed ] && kill -9 $$\nexit $CODE\n"), 0o777))
	for _, tc := range []struct {
		name, path, child, out, stderr string
		args                           []string
		code                           int
	}{
		{"flags", dir, "0", "-o tables --force --partition file -- trace.nettrace\n", "", []string{"--force", "--partition", "file", "trace.nettrace"}, exit.Done},
		{"tables", dir, "0", "-o tables --tables events,stacks -- trace.nettrace\n", "", []string{"--tables", "events,stacks", "trace.nettrace"}, exit.Done},
		{"tables of a profile", dir, "0", "", "--tables applies to --format parquet, not to pprof", []string{"--format", "pprof", "--tables", "events", "trace.nettrace"}, exit.Usage},
		{"malformed", dir, "1", "-o tables -- trace.nettrace\n", "", []string{"trace.nettrace"}, exit.Broken},
		{"failed", dir, "2", "-o tables -- trace.nettrace\n", "", []string{"trace.nettrace"}, exit.Usage},
		{"killed", dir, "killed", "-o tables -- trace.nettrace\n", "nettrace-columns ended: signal: killed", []string{"trace.nettrace"}, exit.Broken},
		{"not installed", t.TempDir(), "0", "", "go install github.com/nettrace-go/nettrace/cmd/nettrace-columns@latest", []string{"trace.nettrace"}, exit.Usage},
		{"standard input", dir, "0", "", "standard input cannot be converted", []string{"-"}, exit.Usage},
		{"flags of samples", dir, "0", "", "--type does not apply to tables", []string{"--type", "alloc", "trace.nettrace"}, exit.Usage},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("PATH", tc.path)
			t.Setenv("CODE", tc.child)
			r := programtest.Run(t, nil, append([]string{"convert", "--format", "parquet", "-o", "tables"}, tc.args...)...)
			r.Exits(t, tc.code)
			r.Complains(t, tc.stderr)
			expect.Equal(t, "output", r.Out, tc.out)
		})
	}
}
