package stacks_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestStacksRepair checks that stacks leaves complete stacks as they are and continues
// truncated ones.
func TestStacksRepair(t *testing.T) {
	const sampler = "Microsoft-DotNETCore-SampleProfiler"
	path := testfile.Archive(t, "azmcp-net10-cpu.v4")
	list := func(flags ...string) []string {
		r := programtest.Run(t, nil, append([]string{"stacks", path, "--provider", sampler, "--addresses"}, flags...)...)
		if r.Code != exit.Done || r.Stderr != "" {
			t.Fatalf("%q: exit status %d, %s", flags, r.Code, r.Stderr)
		}
		lines := strings.Split(strings.TrimSuffix(r.Out, "\n"), "\n")
		slices.Sort(lines)
		return lines
	}
	plain, repaired := list("--no-repair"), list()
	expect.Equal(t, "len(plain)", len(plain), 45424)
	expect.Equal(t, "len(repaired)", len(repaired), len(plain))
	expect.Stop(t)
	longer, marked := 0, 0
	for i, line := range plain {
		switch {
		case strings.HasSuffix(repaired[i], "\t[truncated at 100 frames]"):
			marked++
		case len(repaired[i]) > len(line) && strings.HasPrefix(repaired[i], line):
			longer++
		case repaired[i] != line:
			t.Fatalf("%s\nis repaired\n%s", line, repaired[i])
		}
	}
	expect.NotZero(t, "longer+marked", longer+marked)
	expect.AtMost(t, "longer+marked", longer+marked, 120)
	t.Logf("%d continued, %d marked as cut", longer, marked)
	if r := programtest.Run(t, nil, "stacks", path, "--event", "9999"); r.Code != exit.Broken || !strings.Contains(r.Stderr, "no event matches") {
		t.Errorf("nothing matches: exit status %d, %s", r.Code, r.Stderr)
	}
}
