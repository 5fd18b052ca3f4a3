package events_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestEventsSource: a file or a process, and what belongs to it.
func TestEventsSource(t *testing.T) {
	for _, args := range [][]string{
		{}, {"a", "b"}, {"a", "-p", "1"}, {"a", "--profile", "gc-collect"}, {"a", "--duration", "1s"}, {"-p", "1", "--follow"}, {"-p", "1", "--duration", "x"},
		{"-p", "1", "--provider", "A:keywords"}, {"-p", "1", "--profile", "none"}, {"-p", "999999999"},
	} {
		t.Run(testfile.CaseName(args...), func(t *testing.T) {
			if r := programtest.Run(t, nil, append([]string{"events"}, args...)...); r.Code != exit.Usage || r.Stderr == "" {
				t.Errorf("exit %d, %s", r.Code, r.Stderr)
			}
		})
	}
}
