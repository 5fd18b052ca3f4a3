package codectest_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// repeat writes a v4 stream to w that repeats the blocks between the Trace object
// and the end mark until at least size bytes are written. It frames each object
// again, because its padding depends on its offset.
func repeat(w io.Writer, stream []byte, size int64) error {
	type block struct {
		name string
		body []byte
	}
	var blocks []block
	var head int64
	r := codec.NewBytesBlockReader(stream, codec.Options{})
	for {
		b, ok := r.Next()
		if !ok {
			break
		}
		switch b.Kind {
		case wire.KindTrace, wire.KindEndOfStream:
		default:
			if head == 0 {
				head = b.Offset
			}
			at := b.BodyOffset
			blocks = append(blocks, block{b.TypeName, stream[at : at+b.Size]})
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	out.Write(stream[:head])
	for at := head; at < size; {
		for _, b := range blocks {
			framed := at + 3 + 12 + int64(len(b.name)) + 1 + 4
			object := []byte{5, 5, 1, 2, 0, 0, 0, 2, 0, 0, 0}
			object = binary.LittleEndian.AppendUint32(object, uint32(len(b.name)))
			object = append(append(object, b.name...), 6)
			object = binary.LittleEndian.AppendUint32(object, uint32(len(b.body)))
			object = append(object, make([]byte, -framed&3)...)
			out.Write(object)
			out.Write(b.body)
			out.WriteByte(6)
			at += int64(len(object)) + int64(len(b.body)) + 1
		}
	}
	out.WriteByte(1)
	return out.Flush()
}

// TestResidentMemory reads a stream of 1 GB in a child process and measures its
// peak resident memory.
func TestResidentMemory(t *testing.T) {
	tier.NeedsCheck(t) // reads 1 GB
	if shared.Race {
		t.Skip("the race detector uses memory of its own")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("no /proc on this system: ", err)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestResidentMemoryChild$", "-test.v")
	child.Env = append(append(os.Environ(), "NETTRACE_RESIDENT_CHILD=1"), shared.SteadyMemory()...)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	child.Stdout, child.Stderr = &out, &out
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if err := repeat(in, shared.Trace(t, "azmcp-net10-cpu.v4"), 1<<30); err != nil {
		t.Errorf("writing: %v\n%s", err, out.String())
	}
	in.Close()
	if err := child.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	var events, kilobytes int64
	for line := range strings.Lines(out.String()) {
		fmt.Sscanf(line, "resident %d events %d kB", &events, &kilobytes)
	}
	t.Logf("%d events, %d kB peak resident memory", events, kilobytes)
	expect.AtLeast(t, "events", events, 1<<20)
	expect.NotZero(t, "kilobytes", kilobytes)
	if kilobytes >= 64<<10 {
		t.Errorf("kilobytes: got %v, want less than %v", kilobytes, 64<<10)
	}
}

// TestResidentMemoryChild is the child: it reads standard input.
func TestResidentMemoryChild(t *testing.T) {
	if os.Getenv("NETTRACE_RESIDENT_CHILD") == "" {
		t.Skip("runs as a child of TestResidentMemory only")
	}
	r := codec.NewReader(os.Stdin, codec.Options{})
	for _, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := r.Defects(); len(d) > 0 {
		t.Errorf("repeating is silent, but: %v", d)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			fmt.Printf("resident %d events %d kB\n", r.Count(), kilobytes)
		}
	}
}
