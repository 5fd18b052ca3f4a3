package main

import (
	"slices"
	"strings"
	"testing"
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
	if len(plain) != 45424 || len(repaired) != len(plain) || len(measured) != len(plain) {
		t.Fatalf("%d, %d and %d lines", len(plain), len(repaired), len(measured))
	}
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
	if longer+marked == 0 || longer+marked > 120 || same < len(plain)-400 {
		t.Errorf("%d continued, %d marked as cut; cut at 40 and repaired, %d are as they were", longer, marked, same)
	}
	t.Logf("%d continued, %d marked as cut; cut at 40 and repaired, %d of %d are as they were", longer, marked, same, len(plain))
	if r := nettrace(t, nil, "stacks", path, "--repair", "--id", "9999"); r.code != exitBroken || !strings.Contains(r.stderr, "no stacks") {
		t.Errorf("nothing matches: exit status %d, %s", r.code, r.stderr)
	}
}
