package program_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNamesMissing: a trace without a rundown says how many names are missing.
func TestNamesMissing(t *testing.T) {
	for _, args := range [][]string{
		{"top", "-"}, {"top", "-", "--json"}, {"top", "-", "--tree"}, {"convert", "-", "-o", "-", "--format", "folded"},
		{"convert", "-", "-o", "-", "--format", "pprof"}, {"stacks", "-"}, {"stacks", "-", "--raw-names"}, {"stacks", "-", "--no-repair"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			r := programtest.Run(t, testfile.Plain(t, "azmcp-net10-dropped.v4"), args...)
			said := regexp.MustCompile(`100\.0 % of the frames \(in 100\.0 % of the samples\) have no name: the trace has no rundown`)
			if r.Code != exit.Done || !said.MatchString(r.Stderr) {
				t.Errorf("exit %d, stderr %q", r.Code, r.Stderr)
			}
		})
	}
}

// TestNamesAsked: without names nothing is said of them.
func TestNamesAsked(t *testing.T) {
	r := programtest.Run(t, testfile.Plain(t, "azmcp-net10-dropped.v4"), "stacks", "-", "--addresses")
	if r.Code != exit.Done || strings.Contains(r.Stderr, "rundown") {
		t.Errorf("exit %d, stderr %q", r.Code, r.Stderr)
	}
}

// TestNamesJSON counts frames without names, also where there is a rundown.
func TestNamesJSON(t *testing.T) {
	r := programtest.Run(t, testfile.Plain(t, "net10-mix-cpu.v4"), "top", "-", "--json", "--type", "wall")
	if want := `"unnamed":0,"samples":28617,"samplesUnnamed":0,"unnamedWithoutRundown":0}`; !strings.Contains(r.Out, want) {
		t.Errorf("no %s in %.600s", want, r.Out)
	}
	if strings.Contains(r.Stderr, "rundown") {
		t.Errorf("stderr %q", r.Stderr)
	}
	none := programtest.Run(t, testfile.Plain(t, "azmcp-net10-dropped.v4"), "top", "-", "--json")
	counts := regexp.MustCompile(`"names":{"frames":(\d+),"unnamed":(\d+),"samples":(\d+),"samplesUnnamed":(\d+),"unnamedWithoutRundown":(\d+)}`).FindStringSubmatch(none.Out)
	expect.Len(t, "counts of names", counts, 6)
	expect.Equal(t, "unnamed", counts[2], counts[1])
	expect.Equal(t, "unnamedWithoutRundown", counts[5], counts[1])
	expect.Equal(t, "samplesUnnamed", counts[4], counts[3])
}

// TestStubs names the stub between a method and native code by the method, in top
// and in stacks.
func TestStubs(t *testing.T) {
	const want = "[stub called from System.Net.Sockets.SocketAsyncEngine.EventLoop]"
	data := testfile.Plain(t, "net10-mix-cpu.v4")
	for _, args := range [][]string{{"top", "-", "--limit", "0", "--type", "wall"}, {"stacks", "-"}, {"stacks", "-", "--no-repair"}, {"convert", "-", "-o", "-", "--format", "folded"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			r := programtest.Run(t, data, args...)
			if !strings.Contains(r.Out, want) {
				t.Errorf("no %s", want)
			}
			if strings.Contains(r.Out, "?!0x") {
				t.Error("an address")
			}
			if raw := programtest.Run(t, data, append(args, "--raw-names")...); strings.Contains(raw.Out, "[stub") || !strings.Contains(raw.Out, "?!0x") {
				t.Error("--raw-names does not print the address")
			}
		})
	}
}
