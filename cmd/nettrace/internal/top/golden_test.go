package top_test

import (
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestTopGolden shows the small trace in every view.
func TestTopGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"top":       {"top", "-"},
		"top-tree":  {"top", "-", "--tree", "--min", "0"},
		"top-json":  {"top", "-", "--json", "--type", "exceptions"},
		"top-event": {"top", "-", "--provider", "App-Requests", "--event", "1", "--by", "module"},
	} {
		t.Run(name, func(t *testing.T) {
			r := programtest.Run(t, profiletrace.Trace(), args...)
			r.Exits(t, exit.Done)
			testfile.Golden(t, filepath.Join("testdata", "profile."+name+".txt"), r.Out+r.Stderr)
		})
	}
}
