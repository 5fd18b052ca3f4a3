package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestStacksRepair: --repair leaves whole stacks alone and continues cut ones;
// with --cut, most come out as they were.
func TestStacksRepair(t *testing.T) {
	const sampler = "Microsoft-DotNETCore-SampleProfiler"
	path := archive(t, "azmcp-net10-cpu.v4")
	list := func(flags ...string) []string {
		r := nettrace(t, nil, append([]string{"stacks", path, "--provider", sampler, "--addresses"}, flags...)...)
		if r.code != exitDone || r.stderr != "" {
			t.Fatalf("%q: exit status %d, %s", flags, r.code, r.stderr)
		}
		lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")
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
	if r := nettrace(t, nil, "stacks", path, "--repair", "--id", "9999"); r.code != exitBroken || !strings.Contains(r.stderr, "no stacks") {
		t.Errorf("nothing matches: exit status %d, %s", r.code, r.stderr)
	}
}
