package symbols_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// owned is the payload of an event that describes an assembly (with an AppDomain)
// or an AppDomain.
func owned(id uint64, domain []uint64, fixed int, name string) []byte {
	b := binary.LittleEndian.AppendUint64(nil, id)
	for _, d := range domain {
		b = binary.LittleEndian.AppendUint64(b, d)
	}
	return append(wire.AppendUTF16Z(append(b, make([]byte, fixed)...), name), 0, 0)
}

// needed reads a trace whose events have their position as time, and returns the
// times of the naming events that events with a stack need.
func needed(t *testing.T, stream []byte) map[uint64]bool {
	t.Helper()
	n := symbols.NewNaming(symbols.Options{})
	read := func(do func(e *codec.Event)) {
		for e, err := range codec.NewBytesReader(stream, generous).Events() {
			if err != nil {
				t.Fatal(err)
			}
			do(e)
		}
	}
	read(func(e *codec.Event) {
		if err := n.Add(e); err != nil {
			t.Fatal(err)
		}
		if len(e.Stack()) > 0 {
			if err := n.Use(0, e); err != nil {
				t.Fatal(err)
			}
		}
	})
	early, got := map[uint64]bool{}, map[uint64]bool{}
	read(func(e *codec.Event) { early[e.Timestamp] = n.Needs(0, e) })
	n.End()
	read(func(e *codec.Event) { got[e.Timestamp] = n.Needs(0, e) })
	for at, need := range got {
		if need && !early[at] && at != overlapping {
			t.Errorf("event %d is needed, but Needs is false before End", at)
		}
	}
	n.Forget(0)
	read(func(e *codec.Event) {
		if n.Needs(0, e) {
			t.Errorf("event %d is needed after Forget", e.Timestamp)
		}
	})
	return got
}

// overlapping is an event that only End reports as needed.
const overlapping = 102

func TestNamingNeeds(t *testing.T) {
	of := func(id, module, start uint64, size uint32) method {
		return method{id: id, module: module, start: start, size: size, namespace: "N", name: fmt.Sprint("M", id), signature: "void ()"}
	}
	type event struct {
		name     string
		provider string
		id       uint32
		payload  []byte
		want     bool
	}
	events := []event{
		{"method that holds an address", rundown, 144, of(1, 10, 0x1000, 0x100).verbose(), true},
		{"method without an address", rundown, 144, of(2, 20, 0x2000, 0x100).verbose(), false},
		{"unload that overlaps a needed method", runtime, methodUnloadVerbose, of(3, 10, 0x1080, 0x40).verbose(), true},
		{"load without a name that holds an address", runtime, methodLoad, of(5, 10, 0x5000, 0x100).plain(), true},
		{"name of that method at another place", rundown, 144, of(5, 10, 0x7000, 0x100).verbose(), true},
		{"entry point within 64 KB", runtime, entryPoint, of(8, 0, 0x8F000, 0).entry(), true},
		{"entry point beyond 64 KB", runtime, entryPoint, of(9, 0, 0x60000, 0).entry(), false},
		{"method within 64 KB below", rundown, 144, of(11, 40, 0x88000, 0x100).verbose(), true},
		{"method beyond 64 KB below", rundown, 144, of(12, 20, 0x70000, 0x10).verbose(), false},
		{"details of a needed entry point", runtime, 72, details(8, 30, 0), true},
		{"details of another method", runtime, 72, details(9, 20, 0), false},
		{"module of a method", rundown, 154, module(10, "/a.dll"), true},
		{"module by details", rundown, 154, module(30, "/b.dll"), true},
		{"another module", rundown, 154, module(20, "/c.dll"), false},
		{"assembly of a module", rundown, 156, owned(11, []uint64{99}, 12, "A"), true},
		{"another assembly", rundown, 156, owned(21, []uint64{98}, 12, "B"), false},
		{"AppDomain of an assembly", rundown, 158, append(owned(99, nil, 4, "D"), make([]byte, 4)...), true},
		{"another AppDomain", rundown, 158, append(owned(98, nil, 4, "E"), make([]byte, 4)...), false},
		{"thread of the process", runtime, 85, make([]byte, 30), true},
		{"incomplete method", rundown, 144, of(1, 10, 0x1000, 0x100).verbose()[:40], false},
		{"map from IL to native code", rundown, 150, make([]byte, 40), false},
	}
	made := newTrace(wire.V4)
	made.event(1, "P", 1, nil, 0x1010, 0x5010, 0x90000)
	for i, e := range events {
		made.event(uint64(100+i), e.provider, e.id, e.payload)
	}
	got := needed(t, made.stream())
	for i, e := range events {
		t.Run(e.name, func(t *testing.T) {
			if got[uint64(100+i)] != e.want {
				t.Errorf("Needs is %v, want %v", got[uint64(100+i)], e.want)
			}
		})
	}
}

// TestNamingNeedsUniversal is the same for the events of Universal.System, in two
// processes of which one has a stack.
func TestNamingNeedsUniversal(t *testing.T) {
	events := []struct {
		name    string
		process uint64
		id      uint32
		payload []byte
		want    bool
	}{
		{"the process", 3, 0, fields(3, "p", "n"), true},
		{"another process", 4, 0, fields(4, "q", "n"), false},
		{"mapping that holds an address", 3, 3, fields(1, 0x1000, 0x1FFF, 0, "/a", 7), true},
		{"another mapping", 3, 3, fields(2, 0x3000, 0x3FFF, 0, "/b", 8), false},
		{"mapping of another process", 4, 3, fields(3, 0x1000, 0x1FFF, 0, "/c", 9), false},
		{"symbol that holds an address", 3, 4, fields(1, 1, 0x1000, 0x10FF, "f"), true},
		{"another symbol", 3, 4, fields(2, 1, 0x1800, 0x18FF, "g"), false},
		{"symbol of another mapping", 3, 4, fields(3, 3, 0x1000, 0x10FF, "h"), false},
		{"metadata of the mapping", 3, 5, fields(7, "", ""), true},
		{"metadata of another mapping", 3, 5, fields(8, "", ""), false},
	}
	made := newTrace(wire.V6)
	made.eventOf(3, 1, "P", 1, nil, 0x1010)
	for i, e := range events {
		made.eventOf(e.process, uint64(100+i), universal, e.id, e.payload)
	}
	got := needed(t, made.stream())
	for i, e := range events {
		t.Run(e.name, func(t *testing.T) {
			if got[uint64(100+i)] != e.want {
				t.Errorf("Needs is %v, want %v", got[uint64(100+i)], e.want)
			}
		})
	}
}
