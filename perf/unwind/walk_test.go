package unwind

import (
	"encoding/binary"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/perf"
)

// TestMark: only the frame that the kernel lost is a repair, also where it is the same as one
// that the kernel found further out.
func TestMark(t *testing.T) {
	u := New(Options{})
	u.out = []uint64{1, 2, 7, 3, 4, 7, 5}
	for i, how := range []string{byOSR, byUnwind, byFrame, byFrame, byUnwind, byFrame} {
		u.repairs = append(u.repairs, perf.Repair{Frame: i + 1, How: how})
	}
	u.mark(&perf.Record{User: []uint64{1, 9, 3, 4, 7, 5}})
	expect.Slices(t, "repairs", u.repairs, []perf.Repair{{Frame: 1, How: byOSR}, {Frame: 2, How: byUnwind}})
}

// TestCut: a chain that ends where that of the kernel does is complete, unless the kernel's limit
// or the end of the copy of the stack is the reason.
func TestCut(t *testing.T) {
	const ip, caller, sp = 0x10_0000, 0x10_0100, 0x7000_0000
	stack := make([]byte, 32)
	binary.LittleEndian.PutUint64(stack[8:], 0) // the frame pointer of the root
	binary.LittleEndian.PutUint64(stack[16:], caller)
	full := []uint64{ip, caller}
	for len(full) < 127 {
		full = append(full, caller)
	}
	for _, c := range []struct {
		name  string
		frame uint64 // frame pointer of the leaf
		user  []uint64
		want  bool
	}{
		{"root", sp + 8, []uint64{ip, caller}, false},
		{"limit of the kernel", sp + 8, full, true},
		{"more than the kernel", sp + 8, []uint64{ip}, true},
	} {
		u := New(Options{Maps: []perf.Mapping{{Start: ip, End: ip + 0x1000}}})
		r := &perf.Record{Kind: perf.Sample, HasRegisters: true, User: c.user, Stack: stack}
		r.Registers = perf.Registers{IP: ip, SP: sp, BP: c.frame}
		expect.Equal(t, c.name, u.Chain(r).Cut, c.want)
	}
}
