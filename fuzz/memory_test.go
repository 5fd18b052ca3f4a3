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
)

// hostileFile is the file that a child reads, in its environment.
const hostileFile = "NETTRACE_HOSTILE_FILE"

// TestPeakMemory reads each hostile stream in a child process, whose peak of
// memory stays below that of one that reads a trace of one event, plus what the
// limits allow, plus 8 MB.
func TestPeakMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts many processes")
	}
	one := newStream(v6).tables()
	one.add(wire.Event, one.referring([]uint64{1}))
	least := peak(t, one.end())
	most, worst := int64(0), ""
	set := hostileStreams()
	for i, b := range allStreams(t) {
		if i%8 == 0 { // they are small: a few tell enough
			set["small stream"] = b
			break
		}
	}
	for name, b := range set {
		p := peak(t, b)
		t.Logf("%6d kB, %d bytes: %s", p>>10, len(b), name)
		if p > most {
			most, worst = p, name
		}
	}
	t.Logf("one event: %d kB; most: %d kB, %s", least>>10, most>>10, worst)
	if most > least+total+8<<20 {
		t.Errorf("%s: %d kB at the peak, %d kB for one event", worst, most>>10, least>>10)
	}
}

// peak is the most memory that a child has resident that reads a stream. The
// child tells it: what wait4 tells counts the parent's memory too, which was the
// child's until it became another program.
func peak(t *testing.T, stream []byte) int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stream")
	if err := os.WriteFile(file, stream, 0o600); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestPeakMemoryChild$")
	child.Env = append(os.Environ(), hostileFile+"="+file)
	out, err := child.CombinedOutput()
	_, after, told := strings.Cut(string(out), "VmHWM:")
	if err != nil || !told {
		t.Fatalf("%v\n%s", err, out)
	}
	kilobytes, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// TestPeakMemoryChild is the child: it reads a file as an agent would that has
// little memory, with all fields, in both orders.
func TestPeakMemoryChild(t *testing.T) {
	file := os.Getenv(hostileFile)
	if file == "" {
		t.Skip("runs as a child of TestPeakMemory only")
	}
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(total)
	for _, order := range []codec.Order{codec.FileOrder, codec.ByTime} {
		src, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		r := codec.NewReader(src, codec.Options{OnError: codec.Skip, Order: order})
		for e, ok := r.Next(); ok; e, ok = r.Next() {
			for _, v := range e.Fields() {
				v.Uint64()
			}
		}
		src.Close()
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.Write(status)
}
