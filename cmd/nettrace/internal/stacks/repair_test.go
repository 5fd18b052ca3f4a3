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

// TestStacksRepair: --repair leaves whole stacks alone and continues cut ones;
// with --cut, most come out as they were.
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
	plain, repaired, measured := list(), list("--repair"), list("--repair", "--cut", "40")
	expect.Equal(t, "len(plain)", len(plain), 45424)
	expect.Equal(t, "len(repaired)", len(repaired), len(plain))
	expect.Equal(t, "len(measured)", len(measured), len(plain))
	expect.Stop(t)
	longer, marked, same := 0, 0, 0
	for i, line := range plain {
		switch {
		case strings.HasSuffix(repaired[i], "\t[cut at 100 frames]"):
			marked++
		case len(repaired[i]) > len(line) && strings.HasPrefix(repaired[i], line):
			longer++
		case repaired[i] != line:
			t.Fatalf("%s\nis repaired\n%s", line, repaired[i])
		}
		if measured[i] == line {
			same++
		}
	}
	expect.NotZero(t, "longer+marked", longer+marked)
	expect.AtMost(t, "longer+marked", longer+marked, 120)
	expect.AtLeast(t, "same", same, len(plain)-400)
	t.Logf("%d continued, %d marked as cut; cut at 40 and repaired, %d of %d are as they were", longer, marked, same, len(plain))
	if r := programtest.Run(t, nil, "stacks", path, "--repair", "--id", "9999"); r.Code != exit.Broken || !strings.Contains(r.Stderr, "no stacks") {
		t.Errorf("nothing matches: exit status %d, %s", r.Code, r.Stderr)
	}
}
