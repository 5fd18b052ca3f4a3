//go:build linux

package collect_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// repetitions is how often what depends on the moment is tried.
const repetitions = 20

// otherCollect is dotnet-trace.
func otherCollect(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(shared.OtherReader(t), append([]string{"trace", "collect"}, args...)...)
	return cmd
}

// both records one process by collect and by dotnet-trace, from one silence of
// it to another, and returns the two files.
func both(t *testing.T, dir string) (ours, theirs string, until time.Time) {
	t.Helper()
	app := proctest.RunCorners(t, []string{"CORNERS_PRE_MS=4000", "CORNERS_POST_MS=3000", "CORNERS_V=1"}, "mix", "exc", "gc", "alc", "locks", "pool")
	ours, theirs = filepath.Join(dir, "ours.nettrace"), filepath.Join(dir, "theirs.nettrace")
	const providers = profiletrace.RuntimeName + ":0x14C14FCCBD:5,System.Threading.Tasks.TplEventSource:0x80:4"
	cmds := []*exec.Cmd{
		programtest.LongProcess(t, "collect", "-p", app.PID(), "-o", ours, "--providers", providers),
		otherCollect(t, "-p", app.PID(), "-o", theirs, "--providers", providers),
	}
	for _, cmd := range cmds {
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for parts := 0; parts < 5; {
		line, ok := <-app.Lines
		if !ok {
			t.Fatal("the program ended early")
		}
		if strings.HasSuffix(line, " ms") {
			parts++
		}
	}
	until = time.Now().Add(1500 * time.Millisecond) // the middle of the second silence
	time.Sleep(time.Until(until.Add(300 * time.Millisecond)))
	for _, cmd := range cmds {
		_ = cmd.Process.Signal(os.Interrupt)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%q: %v", cmd.Args, err)
		}
	}
	return ours, theirs, until
}

// occurrence is an event without what each session stamps by itself.
type occurrence struct {
	provider    string
	id, version uint32
	thread      uint64
	payload     string
}

// window counts the events of a recording that two sessions must have in common.
func window(t *testing.T, path string, from, to time.Time) map[occurrence]int {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	count := map[occurrence]int{}
	r := codec.NewBytesReader(data, codec.Options{})
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		switch name := e.Provider(); {
		case e.Time().Before(from), !e.Time().Before(to):
		case name == profiletrace.RundownName, name == provider.SampleProfiler, name == "Microsoft-DotNETCore-EventPipe":
		case name == profiletrace.RuntimeName && (e.ID() == 58 || e.ID() == 283):
		default:
			count[occurrence{name, e.ID(), e.Version(), e.ThreadIndex, string(e.Payload())}]++
		}
	}
	return count
}

func firstTime(t *testing.T, path string) time.Time {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := time.Time{}
	for e, err := range codec.NewBytesReader(data, codec.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Provider() != profiletrace.RundownName && (first.IsZero() || e.Time().Before(first)) {
			first = e.Time()
		}
	}
	return first
}

// busy says whether the program had left its first silence at a moment.
func busy(t *testing.T, path string, at time.Time) bool {
	t.Helper()
	n := 0
	for o, count := range window(t, path, time.Time{}, at.Add(100*time.Millisecond)) {
		if o.provider == profiletrace.RuntimeName && (o.id == 80 || o.id == 81 || o.id == 1) {
			n += count
		}
	}
	return n > 0
}

// TestCollectSame records what dotnet-trace records.
func TestCollectSame(t *testing.T) {
	tier.NeedsNightly(t)
	late := 0
	for i := 0; i < repetitions; i++ {
		ours, theirs, until := both(t, t.TempDir())
		from := firstTime(t, ours)
		if other := firstTime(t, theirs); other.After(from) {
			from = other
		}
		from = from.Add(time.Second)
		if busy(t, ours, from) { // the machine was slow: there is no moment to compare from
			if late++; late > repetitions {
				t.Fatal("the second session never began in the first silence")
			}
			t.Logf("run %d: the silence was over when both sessions ran; once more", i)
			i--
			continue
		}
		a, b := window(t, ours, from, until), window(t, theirs, from, until)
		total, differ := 0, 0
		for o, n := range a {
			total += n
			if b[o] != n {
				differ++
				if differ < 4 {
					t.Errorf("run %d: %s %d: %d in ours, %d in theirs", i, o.provider, o.id, n, b[o])
				}
			}
		}
		for o, n := range b {
			if a[o] == 0 {
				differ++
				if differ < 4 {
					t.Errorf("run %d: %s %d: none in ours, %d in theirs", i, o.provider, o.id, n)
				}
			}
		}
		t.Logf("run %d: %d events, %d kinds differ", i, total, differ)
		if total < 1000 {
			t.Errorf("run %d: %d events", i, total)
		}
	}
}

// TestCollectCost measures collect beside dotnet-trace, with the profile that both
// have when none is named.
func TestCollectCost(t *testing.T) {
	tier.NeedsNightly(t)
	app := proctest.RunCorners(t, nil, "loop", "120", "exc", "gc", "cpu")
	dir := t.TempDir()
	us := exec.Command(programtest.Build(t, "CGO_ENABLED=0"), "collect", "-p", app.PID(), "-o", filepath.Join(dir, "a.nettrace"), "--duration", "6s", "--stats")
	var stderr bytes.Buffer
	us.Stderr = &stderr
	if err := us.Run(); err != nil {
		t.Fatal(err, stderr.String())
	}
	them := otherCollect(t, "-p", app.PID(), "-o", filepath.Join(dir, "b.nettrace"), "--duration", "00:00:00:06")
	var peak int64
	done := make(chan struct{})
	if err := them.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(done)
		for {
			n, err := proctest.HighWater(them.Process.Pid)
			if err != nil {
				return
			}
			peak = max(peak, n)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	if err := them.Wait(); err != nil {
		t.Fatal(err)
	}
	<-done
	cpu := func(c *exec.Cmd) time.Duration { return c.ProcessState.UserTime() + c.ProcessState.SystemTime() }
	own := peakOf(t, stderr.String())
	t.Logf("ours: %v, %d kB; theirs: %v, %d kB", cpu(us), own, cpu(them), peak)
	if 4*cpu(us) > cpu(them) || 3*own > peak {
		t.Errorf("more than a quarter of the time or a third of the memory")
	}
}

// peakOf returns the memory that --stats reports, in kB.
func peakOf(t *testing.T, stderr string) int64 {
	t.Helper()
	_, rest, _ := strings.Cut(stderr, "memory ")
	n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCollectKills kills the process, then the collector, at moments of chance.
func TestCollectKills(t *testing.T) {
	tier.NeedsNightly(t)
	for i := range repetitions {
		app := proctest.RunCorners(t, nil, "loop", "20", "exc", "gc", "cpu")
		path := filepath.Join(t.TempDir(), "k.nettrace")
		time.AfterFunc(time.Duration(300+rand.IntN(2000))*time.Millisecond, func() { _ = app.Process.Kill() })
		code, stderr := collected(t, "-p", app.PID(), "-o", path)
		if _, err := os.Stat(path); err != nil && code == exit.Usage {
			t.Logf("run %d: killed before the session began: %s", i, stderr)
			continue
		}
		list, _ := readTrace(t, path)
		t.Logf("run %d: exit %d, %d events", i, code, len(list))
		if code != exit.Broken {
			t.Errorf("run %d: exit %d, %s", i, code, stderr)
		}
	}
	app := proctest.RunCorners(t, nil, "loop", "120", "exc", "gc", "cpu")
	for i := range repetitions {
		path := filepath.Join(t.TempDir(), "c.nettrace")
		cmd := programtest.LongProcess(t, "collect", "-p", app.PID(), "-o", path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(200+rand.IntN(1500)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Logf("run %d: killed before there was a file", i)
			continue
		}
		r := codec.NewBytesReader(data, codec.Options{})
		for range r.Events() {
		}
		if err := r.Err(); err != nil && !errors.Is(err, codec.ErrTruncated) {
			t.Errorf("run %d: %v", i, err)
		}
		t.Logf("run %d: %d bytes, %d events, %v", i, len(data), r.Count(), r.Err())
	}
}

// TestCollectStall stops the collector for ten seconds. A large buffer loses
// nothing; a small one loses what the recording says.
func TestCollectStall(t *testing.T) {
	tier.NeedsNightly(t)
	for _, mb := range []string{"256", "1"} {
		t.Run(mb+" MB", func(t *testing.T) {
			app := proctest.RunCorners(t, nil, "loop", "60", "exc", "gc", "cpu", "locks")
			path := filepath.Join(t.TempDir(), "s.nettrace")
			cmd := programtest.LongProcess(t, "collect", "-p", app.PID(), "-o", path, "--buffersize", mb, "--clrevents", "gc+exception+contention+loader+jit+threading", "--clreventlevel", "5", "--profile", "dotnet-sampled-thread-time")
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitForSize(t, path, 20_000)
			_ = cmd.Process.Signal(syscall.SIGSTOP)
			time.Sleep(10 * time.Second)
			_ = cmd.Process.Signal(syscall.SIGCONT)
			time.Sleep(time.Second)
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Wait()
			_ = app.Process.Kill()
			_, lost := readTrace(t, path)
			reported := "lost in the process"
			t.Logf("%s MB: %d lost, exit %d, %s", mb, lost, cmd.ProcessState.ExitCode(), stderr.String())
			if mb == "256" {
				expect.Equal(t, "lost events", lost, 0)
				expect.Lacks(t, "stderr", stderr.String(), reported)
			} else {
				expect.NotZero(t, "lost events", lost)
				expect.Contains(t, "stderr", stderr.String(), display.CountedUnsigned(lost, "event")+" "+reported)
			}
		})
	}
}

// TestCollectRingLong keeps rings for a minute.
func TestCollectRingLong(t *testing.T) {
	tier.NeedsNightly(t)
	t.Run("load", func(t *testing.T) {
		ringOver(t, proctest.RunCorners(t, nil, "loop", "70", "exc", "gc", "cpu"), 2*time.Second, 30*time.Second, 28*time.Second)
	})
	t.Run("quiet", func(t *testing.T) {
		ringOver(t, proctest.RunCorners(t, nil, "loop", "70", "wait"), 2*time.Second, 30*time.Second, 28*time.Second, "--clrevents", "gc")
	})
}
