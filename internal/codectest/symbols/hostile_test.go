package symbols_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// payloads are complete payloads of every handled type.
var payloads = []struct {
	eventType
	payload []byte
	needed  int // bytes without which it is malformed
}{
	{eventType{runtime, 141}, dynamic(1, "M").plain(), 36},
	{eventType{runtime, 142}, dynamic(1, "M").plain(), 36},
	{eventType{runtime, 143}, dynamic(1, "M").verbose(), len(dynamic(1, "M").verbose()) - 2},
	{eventType{runtime, 144}, dynamic(1, "M").verbose(), len(dynamic(1, "M").verbose()) - 2},
	{eventType{runtime, 159}, dynamic(1, "M").entry(), len(dynamic(1, "M").entry()) - 2},
	{eventType{runtime, 72}, details(1, 2, 0), 32},
	{eventType{rundown, 143}, dynamic(1, "M").verbose(), len(dynamic(1, "M").verbose()) - 2},
	{eventType{rundown, 144}, dynamic(1, "M").verbose(), len(dynamic(1, "M").verbose()) - 2},
	{eventType{runtime, 152}, module(1, "/a/b.dll"), 24 + 2*9 + 2},
	{eventType{rundown, 154}, module(1, "/a/b.dll"), 24 + 2*9 + 2},
	{eventType{rundown, 151}, module(1, "/a/b.dll/c"), 32 + 2*7 + 2},
	{eventType{runtime, 154}, module(1, "An assembly"), 28 + 2*10},
	{eventType{universal, 0}, fields(1, "svc", "Unknown"), 1 + 5 + 9},
	{eventType{universal, 3}, fields(1, 0x1000, 0x1FFF, 0, "/a/b.so", 0), 1 + 2 + 2 + 1 + 9 + 1},
	{eventType{universal, 4}, fields(1, 1, 0x1000, 0x1FFF, "a_symbol"), 1 + 1 + 2 + 2 + 10},
	{eventType{universal, 5}, fields(1, "{}", "{}"), 1 + 4 + 4},
}

// TestCut: a payload that is truncated anywhere is skipped and counted, unless
// all needed fields are complete.
func TestCut(t *testing.T) {
	for _, c := range payloads {
		t.Run(fmt.Sprintf("%s %d", c.provider, c.id), func(t *testing.T) {
			for n := range len(c.payload) + 1 {
				one := newTrace(wire.V6)
				one.eventOf(7, 5, "Universal.Events", 1, fields(1), 0x1010)
				one.eventOf(7, 10, c.provider, c.id, c.payload[:n])
				table := one.read(t)
				table.Lookup(symbols.Query{Process: 7, Address: 0x1010, Ticks: 10})
				if cut := table.Malformed() > 0; cut != (n < c.needed) {
					t.Errorf("truncated at %d of %d: malformed %v", n, len(c.payload), cut)
				}
			}
		})
	}
}

// TestRanges: ranges at the end of all addresses, and impossible ones.
func TestRanges(t *testing.T) {
	const last = 1<<64 - 1
	method := func(start uint64, size uint32) []byte {
		m := dynamic(start, "M")
		m.start, m.size = start, size
		return m.verbose()
	}
	mapping := func(start, end uint64) []byte {
		b := wire.AppendVarUint(wire.AppendVarUint(fields(1), start), end)
		return append(b, fields(0, "/a/b.so", 0)...)
	}
	one := newTrace(wire.V6)
	one.eventOf(7, 10, runtime, 143, method(last, 1<<32-1)) // malformed
	one.eventOf(7, 10, runtime, 143, method(last-1, 2))     // malformed: its end is not an address
	one.eventOf(7, 10, runtime, 143, method(last-15, 8))
	one.eventOf(7, 10, runtime, 143, method(0x100, 0)) // nothing
	one.eventOf(7, 10, universal, 3, mapping(0, last))
	one.eventOf(7, 10, universal, 3, mapping(2, 1))                                                                      // malformed
	one.eventOf(7, 10, universal, 4, append(fields(1, 1), wire.AppendVarUint(wire.AppendVarUint(nil, last-3), last)...)) // malformed: no name
	table := one.read(t)
	ask(t, table,
		question{7, last - 15, 10, "ManagedModule!dynamicClass.M()", symbols.Load},
		question{7, 0, 10, "b.so!0x0", symbols.Mapping},
		question{7, 0x100, 10, "b.so!0x100", symbols.Mapping},
		question{7, last - 1, 10, "b.so!0xfffffffffffffffe", symbols.Mapping},
	)
	if table.Malformed() != 4 {
		t.Errorf("%d malformed", table.Malformed())
	}
}

// TestLimit: memory is bounded, and omitted rows are counted.
func TestLimit(t *testing.T) {
	const events = 20_000
	one := newTrace(wire.V4)
	for i := range uint64(events) {
		m := dynamic(i, "Method"+string(binary.LittleEndian.AppendUint64(nil, i*0x9E3779B97F4A7C15)))
		m.start += i * 0x100
		one.event(i, runtime, methodLoadVerbose, m.verbose())
	}
	stream := one.stream()
	whole := readTable(t, stream, symbols.Options{})
	if whole.Dropped() != 0 || whole.Lookup(symbols.Query{Process: 7, Address: 0x1010 + 0x100*(events-1), Ticks: events}).Symbol == nil {
		t.Errorf("%d dropped without need", whole.Dropped())
	}
	table := readTable(t, stream, symbols.Options{Limit: 1 << 20})
	if n := table.Dropped(); n < events/4 || n > events-1000 {
		t.Errorf("%d of %d dropped", n, events)
	}
	if table.Lookup(symbols.Query{Process: 7, Address: 0x1010, Ticks: 10}).Symbol == nil || table.Lookup(symbols.Query{Process: 7, Address: 0x1010 + 0x100*(events-1), Ticks: events}).Symbol != nil {
		t.Error("not the first ones are kept")
	}
}

// TestManyLives: many lifetimes at one address are looked up in a reasonable
// time.
func TestManyLives(t *testing.T) {
	const events = 50_000
	one := newTrace(wire.V4)
	for i := range uint64(events) {
		one.event(i, runtime, methodLoadVerbose, dynamic(i, "M").verbose())
	}
	table := one.read(t)
	for i := range uint64(0x40) {
		if table.Lookup(symbols.Query{Process: 7, Address: 0x1000 + i, Ticks: i}).Symbol == nil {
			t.Fatal("no name")
		}
	}
}

// FuzzTable: no event makes a Table panic.
func FuzzTable(f *testing.F) {
	for i, c := range payloads {
		f.Add(byte(i), c.payload, byte(i+1), payloads[(i+1)%len(payloads)].payload)
	}
	f.Fuzz(func(t *testing.T, a byte, first []byte, b byte, second []byte) {
		one := newTrace(wire.V6)
		one.eventOf(7, 5, "Universal.Events", 1, fields(1), 0x1010)
		for i, payload := range [][]byte{first, second} {
			if len(payload) > 1<<12 {
				return
			}
			typ := payloads[int([]byte{a, b}[i])%len(payloads)]
			one.eventOf(7, uint64(10+i), typ.provider, typ.id, payload)
		}
		table := one.read(t)
		for _, address := range []uint64{0, 0x1010, 1<<64 - 1} {
			for _, s := range table.Timeline(7, address) {
				if s.Frame.RawName() == "" || s.Frame.Symbol != nil && s.Frame.Evidence == symbols.None {
					t.Errorf("%+v", s)
				}
				s.Frame.Name()
			}
		}
	})
}
