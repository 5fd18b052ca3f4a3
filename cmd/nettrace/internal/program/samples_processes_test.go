package program_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/viewers"
)

// processesTrace is a v6 trace of the processes 7 (web) and 9 (worker), which
// Universal.System names, and 11, which nothing names. Each has a thread 70 with
// 2, 3 and 4 samples of a millisecond. The last frame of each stack is in the
// kernel.
func processesTrace() []byte {
	b := gen.NewBuilder(gen.BuilderOptions{Format: wire.V6, Trace: codec.Trace{
		Format: wire.V6, SyncTime: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), SyncTicks: 1e9, TickFrequency: 1e9, PointerSize: 8,
	}})
	sample := b.Metadata(&codec.Metadata{Provider: info.SampleProvider})
	types := map[uint32]uint32{}
	for _, id := range []uint32{0, 1} {
		types[id] = b.Metadata(&codec.Metadata{Provider: "Universal.System", EventID: id})
	}
	b.Now = 1e9
	add := func(metadata uint32, thread uint64, payload []byte, stack ...uint64) {
		row := codec.EventRow{MetadataID: metadata, ThreadIndex: thread, CaptureThreadIndex: thread, Timestamp: b.Now, Payload: payload}
		if len(stack) > 0 {
			row.StackID = b.Stack(stack)
		}
		b.Event(&row)
	}
	for i, process := range []uint64{7, 9, 11} {
		b.Thread(&codec.Thread{Index: uint64(i) + 1, ProcessID: process, ThreadID: 70, HasProcessID: true, HasThreadID: true})
	}
	add(types[0], 1, processNamed("web"))
	add(types[1], 2, processNamed("worker"))
	for ms := range uint64(4) {
		b.Now = 1e9 + ms*1e6
		for i := range uint64(3) {
			if ms < i+2 {
				add(sample, i+1, profiletrace.Pack(uint32(1)), 0xffff_ffff_8100_0000+ms, 0x5000+i)
			}
		}
	}
	return b.Trace().Bytes()
}

// processNamed is the payload of ExistingProcess and ProcessCreate.
func processNamed(name string) []byte {
	b := wire.AppendVarUint(nil, 1)
	b = append(binary.LittleEndian.AppendUint16(b, uint16(len(name))), name...)
	return binary.LittleEndian.AppendUint16(b, 0)
}

// TestSamplesProcesses shows threads of different processes with the same ID as
// different threads in every output, and processes by their names.
func TestSamplesProcesses(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"by thread", []string{"top", "-", "--by", "thread"}, []string{"3 processes: 9.00 ms wall, 9 samples of 3 threads", " 11/70\n", " 9/70\n", " 7/70\n"}},
		{"by process", []string{"top", "-", "--by", "process"}, []string{" 11\n", " 9 worker\n", " 7 web\n"}},
		{"json", []string{"top", "-", "--by", "process", "--json"}, []string{`{"name":"9 worker","self":3000000,`}},
		{"one process", []string{"top", "-", "--by", "thread", "--process", "9"}, []string{"worker: 3.00 ms wall, 3 samples of 1 thread", " 70\n"}},
		{"range", []string{"top", "-", "--by", "process", "--process", "1-8,11"}, []string{"2 processes: 6.00 ms wall", " 7 web\n"}},
		{"folded", []string{"convert", "-", "-o", "-", "--format", "folded", "--process", "7-9"}, []string{"?!0x5000;[kernel] 2000000\n", "?!0x5001;[kernel] 3000000\n"}},
		{"speedscope", []string{"convert", "-", "-o", "-", "--format", "speedscope"},
			[]string{`"Process 7 (web), Thread 70"`, `"Process 9 (worker), Thread 70"`, `"Process 11, Thread 70"`}},
		{"chromium", []string{"convert", "-", "-o", "-", "--format", "chromium"},
			[]string{`"pid":7,"tid":0,"args":{"name":"web"}`, `"pid":9,"tid":0,"args":{"name":"worker"}`, `"pid":11,"tid":0,"args":{"name":"process 11"}`, `"pid":9,"tid":70`}},
		{"stacks", []string{"stacks", "-", "--process", "9"}, []string{"\t70\t[kernel]\t?!0x5001\n"}},
		{"raw stacks", []string{"stacks", "-", "--process", "9", "--raw-names"}, []string{"\t70\t?!0xffffffff81000000\t?!0x5001\n"}},
		{"by module", []string{"top", "-", "--by", "module"}, []string{" [kernel]\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, processesTrace(), c.args...)
			if r.Code != exit.Done {
				t.Fatalf("exit %d: %s", r.Code, r.Stderr)
			}
			for _, want := range c.want {
				if !strings.Contains(r.Out, want) {
					t.Errorf("no %q in\n%s", want, r.Out)
				}
			}
		})
	}
}

// TestProcessFilter leaves out what belongs to other processes.
func TestProcessFilter(t *testing.T) {
	for _, c := range []struct {
		name    string
		args    []string
		without string
	}{
		{"top", []string{"top", "-", "--by", "process", "--process", "7,11"}, "worker"},
		{"speedscope", []string{"convert", "-", "-o", "-", "--format", "speedscope", "--process", "7"}, "worker"},
		{"chromium", []string{"convert", "-", "-o", "-", "--format", "chromium", "--process", "7"}, "worker"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, processesTrace(), c.args...)
			if r.Code != exit.Done {
				t.Fatalf("exit %d: %s", r.Code, r.Stderr)
			}
			if strings.Contains(r.Out, c.without) {
				t.Errorf("%q in\n%s", c.without, r.Out)
			}
		})
	}
	lines := programtest.Run(t, processesTrace(), "stacks", "-", "--process", "9")
	if got := strings.Count(lines.Out, "\n"); got != 3 {
		t.Errorf("stacks: %d lines, want 3", got)
	}
	none := programtest.Run(t, processesTrace(), "top", "-", "--process", "8")
	if none.Code != exit.Broken || !strings.Contains(none.Stderr, "filtered out (processes 8)") {
		t.Errorf("top of no process: exit %d, %s", none.Code, none.Stderr)
	}
	wrong := programtest.Run(t, processesTrace(), "top", "-", "--process", "9-7")
	if wrong.Code != exit.Usage || !strings.Contains(wrong.Stderr, `--process: "9-7"`) {
		t.Errorf("a range that ends before it begins: exit %d, %s", wrong.Code, wrong.Stderr)
	}
}

// TestProcessesPprof has a sample of each process, with its ID and name.
func TestProcessesPprof(t *testing.T) {
	r := programtest.Run(t, processesTrace(), "convert", "-", "-o", "-", "--format", "pprof")
	p, err := pprof.ParseData([]byte(r.Out))
	if err != nil {
		t.Fatal(err)
	}
	values := map[int64]int64{}
	var names []string
	for _, s := range p.Sample {
		values[s.NumLabel["appdomain process id"][0]] += s.Value[0]
		names = append(names, s.Label["process name"]...)
	}
	slices.Sort(names)
	for process, want := range map[int64]int64{7: 2e6, 9: 3e6, 11: 4e6} {
		t.Run(fmt.Sprintf("process %d", process), func(t *testing.T) {
			if values[process] != want {
				t.Errorf("process %d: %d ns, want %d", process, values[process], want)
			}
		})
	}
	if got, want := slices.Compact(names), []string{"web", "worker"}; !slices.Equal(got, want) {
		t.Errorf("process names %q, want %q", got, want)
	}
}

// TestProcessesSpeedscope has a profile for each process's thread.
func TestProcessesSpeedscope(t *testing.T) {
	r := programtest.Run(t, processesTrace(), "convert", "-", "-o", "-", "--format", "speedscope")
	f, err := viewers.ParseSpeedscope([]byte(r.Out))
	if err != nil {
		t.Fatal(err)
	}
	if got := len(f.Profiles); got != 3 {
		t.Errorf("%d profiles, want 3", got)
	}
}
