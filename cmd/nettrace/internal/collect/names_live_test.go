//go:build linux

package collect_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// namedFrames are the counts of frames and leaves of samples, and how many of
// them have a name.
type namedFrames struct{ samples, frames, named, leaves int64 }

// countNamed counts the frames of the samples of a trace.
func countNamed(t *testing.T, path string) (c namedFrames) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table := symbols.NewTable(symbols.Options{})
	var stacks [][]uint64
	var at []symbols.Query
	for e, err := range codec.NewBytesReader(data, codec.Options{Order: codec.ByTime}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		table.Add(e)
		if e.Provider() != provider.SampleProfiler || len(e.Stack()) == 0 {
			continue
		}
		for _, a := range e.Stack() {
			table.AddWanted(symbols.Process(e), a)
		}
		stacks = append(stacks, bytesOf(e.Stack()))
		at = append(at, symbols.Query{Process: symbols.Process(e), Ticks: e.Timestamp})
	}
	for i, stack := range stacks {
		c.samples++
		for depth, a := range stack {
			q := at[i]
			q.Address = a
			c.frames++
			if table.Lookup(q).Symbol == nil {
				continue
			}
			c.named++
			if depth == 0 {
				c.leaves++
			}
		}
	}
	return c
}

func bytesOf(stack []uint64) []uint64 { return append([]uint64(nil), stack...) }

// check demands that 99 % of the frames and 98 % of the leaves have names.
func (c namedFrames) check(t *testing.T) {
	t.Helper()
	frames, leaves := 100*float64(c.named)/float64(c.frames), 100*float64(c.leaves)/float64(c.samples)
	t.Logf("%d samples: %.3f %% of %d frames and %.3f %% of the leaves have names", c.samples, frames, c.frames, leaves)
	if c.samples < 300 || frames < 99 || leaves < 98 {
		t.Errorf("got %d samples, %.3f %% of frames and %.3f %% of leaves with names; want at least 300, 99 and 98", c.samples, frames, leaves)
	}
}

// TestNamesOfKilled kills a process that goes on compiling, which was attached to
// at once or after 5 s: methods have names without a rundown at the end.
func TestNamesOfKilled(t *testing.T) {
	tier.NeedsNightly(t)
	for _, c := range []struct {
		name  string
		wait  time.Duration
		flags []string
	}{
		{"at once", 0, []string{"--names", "early"}},
		{"after 5 s", 5 * time.Second, []string{"--names", "both"}},
		{"ring at once", 0, []string{"--ring", "1m"}},
		{"ring after 5 s", 5 * time.Second, []string{"--ring", "1m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			app := proctest.RunCorners(t, nil, "loop", "60", "exc", "gc", "alc", "dyn", "gen", "cpu")
			time.Sleep(c.wait)
			path := filepath.Join(t.TempDir(), "k.nettrace")
			args := append([]string{"collect", "-p", app.PID(), "-o", path}, c.flags...)
			cmd := programtest.LongProcess(t, args...)
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(stderr)
			text, _ := lines.ReadString('\n') // the first line of every recording says that it has begun
			time.Sleep(6 * time.Second)       // in which the program compiles on
			_ = app.Process.Signal(syscall.SIGKILL)
			rest, _ := io.ReadAll(lines)
			_ = cmd.Wait()
			text += string(rest)
			t.Log(text)
			if code := cmd.ProcessState.ExitCode(); code != exit.Broken || !strings.Contains(text, "early rundown: ") {
				t.Fatalf("exit %d, stderr %q", code, text)
			}
			countNamed(t, path).check(t)
			agree(t, path, 0)
		})
	}
	t.Run("command", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "k.nettrace")
		args := []string{"-o", path, "--", "timeout", "-s", "KILL", "6"}
		args = append(args, proctest.CornersCommand(t, "loop", "60", "exc", "gc", "alc", "dyn", "gen", "cpu")...)
		code, text := collected(t, args...)
		t.Log(text)
		if code != exit.Broken {
			t.Fatalf("exit %d", code)
		}
		countNamed(t, path).check(t)
	})
}
