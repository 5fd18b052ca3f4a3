//go:build linux && !race

package fuzz

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// The child's input, in its environment: the files of a folder, in an order.
const (
	hostileFolder = "NETTRACE_HOSTILE_FOLDER"
	hostileOrder  = "NETTRACE_HOSTILE_ORDER"
)

// TestPeakMemory reads each hostile stream, in each order, in a child process of
// its own, whose peak memory stays below that of one that reads a trace of one
// event, plus the limits, plus 8 MB. One child reads the many small ones in turn.
func TestPeakMemory(t *testing.T) {
	tier.NeedsCheck(t) // starts many processes
	one := newStream(v6).tables()
	one.add(wire.KindEvent, one.referring([]uint64{1}))
	least := peak(t, codec.FileOrder, one.end())
	most, worst := int64(0), ""
	set := map[string]func() [][]byte{"small streams": func() [][]byte { return allStreams(t) }}
	for name, b := range hostileStreams() {
		set[name] = func() [][]byte { return [][]byte{b} }
	}
	for name, make := range hoards() {
		set[name] = func() [][]byte { return [][]byte{make()} }
	}
	for name, make := range set {
		streams := make()
		file, byTime := peak(t, codec.FileOrder, streams...), peak(t, codec.ByTime, streams...)
		t.Logf("%6d kB, by time %6d kB: %s (%d)", file>>10, byTime>>10, name, len(streams))
		if p := max(file, byTime); p > most {
			most, worst = p, name
		}
	}
	t.Logf("one event: %d kB; maximum: %d kB, %s", least>>10, most>>10, worst)
	if most > least+total+8<<20 {
		t.Errorf("%s: %d kB at the peak, %d kB for one event", worst, most>>10, least>>10)
	}
}

// peak is the peak resident memory of a child that reads streams. The child
// reports it: wait4 counts the parent's memory too, which was the child's until
// it executed another program.
func peak(t *testing.T, order codec.Order, streams ...[]byte) int64 {
	t.Helper()
	folder := t.TempDir()
	defer os.RemoveAll(folder) // not the streams of all at once
	for i, b := range streams {
		if err := os.WriteFile(filepath.Join(folder, strconv.Itoa(i)), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	child := exec.Command(os.Args[0], "-test.run=^TestPeakMemoryChild$")
	child.Env = append(os.Environ(), hostileFolder+"="+folder, hostileOrder+"="+strconv.Itoa(int(order)))
	child.Env = append(child.Env, shared.SteadyMemory()...)
	out, err := child.CombinedOutput()
	_, after, found := strings.Cut(string(out), "VmHWM:")
	if err != nil || !found {
		t.Fatalf("%v\n%s", err, out)
	}
	kilobytes, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// TestPeakMemoryChild is the child: it reads files as an agent would that has
// little memory, with all stacks and fields.
func TestPeakMemoryChild(t *testing.T) {
	folder := os.Getenv(hostileFolder)
	if folder == "" {
		t.Skip("runs as a child of TestPeakMemory only")
	}
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(total)
	order, err := strconv.Atoi(os.Getenv(hostileOrder))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("nothing to read: ", err)
	}
	for _, file := range files {
		readAsAgent(t, file, codec.Order(order))
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.Write(status)
}

func readAsAgent(t *testing.T, file string, order codec.Order) {
	src, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := codec.NewReader(src, codec.Options{OnError: codec.Skip, Order: order})
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		e.Stack()
		for _, v := range e.Fields() {
			v.Uint64()
		}
	}
}
