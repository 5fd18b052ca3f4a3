package perf

import (
	"encoding/binary"
	"reflect"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// raw makes a record of the kernel: numbers of fixed size and texts.
func raw(kind uint32, misc uint16, fields ...any) []byte {
	var b []byte
	for _, f := range fields {
		if s, ok := f.(string); ok {
			b = append(b, s...)
			b = append(b, make([]byte, 8-len(s)%8)...)
			continue
		}
		b, _ = binary.Append(b, binary.LittleEndian, f)
	}
	head, _ := binary.Append(nil, binary.LittleEndian, kind)
	head, _ = binary.Append(head, binary.LittleEndian, misc)
	head, _ = binary.Append(head, binary.LittleEndian, uint16(len(b)+8))
	return append(head, b...)
}

// tail is the end of each record but samples.
func tail(pid, tid uint32, time uint64) []any {
	return []any{pid, tid, time, uint32(1), uint32(0), uint64(77)}
}

// TestDecode: the records that Linux writes, byte by byte.
func TestDecode(t *testing.T) {
	id := [20]byte{0xAB, 0xCD}
	for _, c := range []struct {
		name string
		raw  []byte
		want Record
	}{
		{"comm", raw(recordComm, miscExec, append([]any{uint32(5), uint32(6), "app"}, tail(5, 6, 9)...)...),
			Record{Kind: Named, PID: 5, TID: 6, Time: 9, CPU: 1, Name: "app", Exec: true}},
		{"fork", raw(recordFork, 0, append([]any{uint32(5), uint32(5), uint32(7), uint32(6), uint64(8)}, tail(5, 6, 9)...)...),
			Record{Kind: Started, PID: 5, TID: 7, Parent: 6, Time: 9, CPU: 1}},
		{"exit", raw(recordExit, 0, append([]any{uint32(5), uint32(1), uint32(7), uint32(1), uint64(8)}, tail(5, 7, 9)...)...),
			Record{Kind: Ended, PID: 5, TID: 7, Time: 9, CPU: 1}},
		{"out", raw(recordSwitch, miscOut|miscPreempted, tail(5, 6, 9)...), Record{Kind: SwitchedOut, Preempted: true, PID: 5, TID: 6, Time: 9, CPU: 1}},
		{"in", raw(recordSwitch, 0, tail(5, 6, 9)...), Record{Kind: SwitchedIn, PID: 5, TID: 6, Time: 9, CPU: 1}},
		{"lost", raw(recordLost, 0, append([]any{uint64(77), uint64(755)}, tail(5, 6, 9)...)...), Record{Kind: Lost, Count: 755, PID: 5, TID: 6, Time: 9, CPU: 1}},
		{"mapping", raw(recordMmap2, miscBuildID, append([]any{uint32(5), uint32(6), uint64(0x1000), uint64(0x2000), uint64(0x3000), [4]byte{20}, id, uint32(5), uint32(2), "/lib/x.so"}, tail(5, 6, 9)...)...),
			Record{Kind: Mapped, PID: 5, TID: 6, Time: 9, CPU: 1, Mapping: Mapping{Start: 0x1000, End: 0x3000, Offset: 0x3000, Path: "/lib/x.so", BuildID: "abcd000000000000000000000000000000000000"}}},
		{"sample", raw(recordSample, 1, uint64(77), uint64(0xffffffff81000000), uint32(5), uint32(6), uint64(9), uint32(1), uint32(0), uint64(1003009),
			uint64(5), ^uint64(127), uint64(0xffffffff81000000), contextUser, uint64(0x1000), uint64(0x2000),
			uint64(2), [8]uint64{1, 2, 3, 4, 12, 13, 14, 15}, uint64(16), uint64(0x55), uint64(0x66), uint64(8)),
			Record{Kind: Sample, PID: 5, TID: 6, Time: 9, CPU: 1, Period: 1003009, Kernel: []uint64{0xffffffff81000000}, User: []uint64{0x1000, 0x2000},
				HasRegisters: true, Registers: Registers{BX: 1, BP: 2, SP: 3, IP: 4, R12: 12, R13: 13, R14: 14, R15: 15}, Stack: []byte{0x55, 0, 0, 0, 0, 0, 0, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := decoder{stack: true}
			got, ok := d.decode(c.raw)
			expect.Equal(t, "ok", ok, true)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v\nwant %+v", got, c.want)
			}
			expect.Equal(t, "time", timeOf(c.raw), 9)
			for n := range c.raw { // a truncated record is no record
				if _, ok := (&decoder{stack: true}).decode(c.raw[:n]); ok && c.want.Kind != SwitchedIn && c.want.Kind != SwitchedOut && n < len(c.raw)-sampleIDSize {
					t.Fatalf("decoded of %d bytes", n)
				}
			}
		})
	}
}

// TestSorter: the records of two rings come in the order of their times, and none before an
// older one can still come.
func TestSorter(t *testing.T) {
	var s sorter
	var got []uint64
	take := func(b []byte) error { got = append(got, timeOf(b)); return nil }
	reading := func(at uint64, times ...uint64) {
		s.begin(at)
		for _, time := range times {
			s.add(raw(recordSwitch, 0, tail(5, 6, time)...))
		}
		expect.NoError(t, s.release(false, take))
	}
	reading(100, 10, 90, 20, 101) // 101 was written while the rings were read
	expect.Equal(t, "records after the first reading", len(got), 0)
	reading(200, 95, 150)
	expect.Slices(t, "times after the second reading", got, []uint64{10, 20, 90, 95})
	expect.NoError(t, s.release(true, take))
	expect.Slices(t, "times", got, []uint64{10, 20, 90, 95, 101, 150})
}

// TestRepairs: the label of repaired frames is read as it was written.
func TestRepairs(t *testing.T) {
	text := formatRepairs([]Repair{{1, "unwind"}, {2, "unwind"}, {3, "osr"}, {4, "unwind"}, {9, "caller"}}, 2)
	expect.Equal(t, "text", text, "caller:11 osr:5 unwind:3-4,6")
	found := ParseRepairs(text)
	expect.Equal(t, "frames", len(found), 5)
	expect.Equal(t, "frame 5", found[5], "osr")
	expect.Equal(t, "frames of other text", len(ParseRepairs("x y:1-0 z:9999999-99999999 :,")), 0)
}

// TestMaps: an address is in the newest mapping of its time, and memory that grows is one
// mapping after the other.
func TestMaps(t *testing.T) {
	var m Maps
	old := m.add(Mapping{Start: 0x1000, End: 0x2000, Path: "/a"}, 0)
	grown := m.add(Mapping{Start: 0x1000, End: 0x4000, Path: "/a"}, 50)
	other := m.add(Mapping{Start: 0x3000, End: 0x3800, Path: "/b"}, 60)
	if again := m.add(grown.Mapping, 55); again != grown {
		t.Error("an equal mapping is added again")
	}
	for _, c := range []struct {
		address, time uint64
		want          *placed
	}{{0x1800, 10, old}, {0x1800, 70, grown}, {0x3100, 55, grown}, {0x3100, 70, other}, {0x3900, 70, grown}, {0x3100, 10, grown}, {0x800, 70, nil}, {0x4000, 70, nil}} {
		if got := m.find(c.address, c.time); got != c.want {
			t.Errorf("%#x at %d: %+v", c.address, c.time, got)
		}
	}
}

// TestParseProcessors: the form of /sys/devices/system/cpu/online.
func TestParseProcessors(t *testing.T) {
	expect.Slices(t, "list", parseProcessors("0-2,5\n"), []int{0, 1, 2, 5})
	if slices.Contains([]bool{parseProcessors("") == nil, parseProcessors("3-1") == nil}, false) {
		t.Error("a malformed list has processors")
	}
}
