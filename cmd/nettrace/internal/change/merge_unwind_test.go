package change_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// truthCall is a call of a method that the recorded program noted itself.
type truthCall struct {
	Call, Caller string
	Thread       uint64
	Begin, End   uint64
}

// TestMergeUnwind compares repaired call chains with what the program noted: the running method
// is in the chain, its caller is the next frame, and no chain has a method that did not run. The
// limits are in tenths of a percent; those without repair show what it is for.
func TestMergeUnwind(t *testing.T) {
	for _, c := range []struct {
		pair           string
		method, caller int
		flags          []string
	}{
		{"cpu10-4k", 978, 770, []string{"--no-unwind"}},
		{"cpu10-4k", 986, 985, nil},
		{"cpu11-4k", 984, 983, nil},
		{"nofp10-4k", 631, 502, nil}, // without the tables of libc
		{"fp11-4k", 885, 751, nil},
	} {
		t.Run(strings.Join(append([]string{c.pair}, c.flags...), " "), func(t *testing.T) {
			base := filepath.Join(shared.Dir(t), "perf2", "pairs", c.pair)
			out := filepath.Join(t.TempDir(), "both.nettrace")
			r := programtest.Run(t, nil, append([]string{"merge", base + ".v4.nettrace.zst", base + ".perf.ndjson.zst", "-o", out,
				"--symbols", filepath.Join(shared.Dir(t), "perf2", "bin")}, c.flags...)...)
			r.Exits(t, exit.Done)
			data, err := os.ReadFile(out)
			expect.NoError(t, err)
			p, err := profile.FromReader(t.Context(), codec.NewBytesReader(data, input.ReaderOptions(false)), profile.Options{Limits: profile.LargeLimits()})
			expect.NoError(t, err)
			n, method, caller, wrong := judge(p, truthOf(t, base+".truth.ndjson"))
			t.Logf("%d samples: method %d, caller %d, wrong %d", n, method, caller, wrong)
			expect.AtLeast(t, "samples with the running method", 1000*method/n, c.method)
			expect.AtLeast(t, "samples with its caller after it", 1000*caller/n, c.caller)
			expect.Equal(t, "samples with a method that did not run", wrong, 0)
		})
	}
}

func truthOf(t *testing.T, name string) (calls []truthCall) {
	t.Helper()
	data, err := os.ReadFile(name)
	expect.NoError(t, err)
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var one truthCall
		if json.Unmarshal(lines.Bytes(), &one) == nil && one.Call != "" {
			calls = append(calls, one)
		}
	}
	return calls
}

// judge counts the samples in calls, those whose chain has the running method, those in which
// its caller is next, and those with a method of the truth that did not run.
func judge(p *profile.Profile, calls []truthCall) (n, method, caller, wrong int) {
	known := map[string]bool{}
	for _, c := range calls {
		known[c.Call] = true
	}
	for s := range p.Samples(profile.CPU) {
		running := runningIn(calls, p.Threads()[s.Thread].ID, s.Ticks)
		if running == nil {
			continue
		}
		n++
		var around []string
		for i := range calls {
			if c := &calls[i]; c.Thread == running.Thread && c.Begin <= s.Ticks && s.Ticks <= c.End {
				around = append(around, c.Call, c.Caller)
			}
		}
		at, other := -1, false
		var names []string
		for i, id := range p.Stack(s.Stack) {
			f := p.Function(p.Frame(id).Function)
			name := f.Name
			if f.Symbol != nil && f.Symbol.Namespace != "" {
				name = f.Symbol.Method
				other = other || known[name] && !slices.Contains(around, name)
				if name == running.Call {
					at = i
				}
			}
			names = append(names, name)
		}
		if other {
			wrong++
		}
		if at < 0 {
			continue
		}
		method++
		if at+1 == len(names) {
			continue
		}
		if next := names[at+1]; next == running.Caller || running.Caller == "" && (next == "Main" || strings.HasPrefix(next, "<Main>") || strings.HasPrefix(next, "<>m__")) {
			caller++
		}
	}
	return n, method, caller, wrong
}
