package codectest_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// whole is the content of an event with its fields.
func whole(e *codec.Event) string {
	b := fmt.Appendf([]byte(said(e)), "@%d %v %v %v %v", e.Offset(), e.Labels(), e.Thread(), e.CaptureThread(), e.FieldsError())
	for name, v := range e.Fields() {
		b = fmt.Appendf(b, " %s=%s", name, v)
	}
	return string(b)
}

// TestCloneInto: copies in the memory of earlier ones are those of Clone, and stay while the
// Reader goes on.
func TestCloneInto(t *testing.T) {
	for _, name := range smallCorpora(t) {
		t.Run(name, func(t *testing.T) {
			var again [7]codec.Event
			var want [7]string
			n := 0
			for e, err := range codec.NewBytesReader(shared.Trace(t, name), codec.Options{Schemas: clr.Schemas}).Events() {
				if err != nil {
					break
				}
				i := n % len(again)
				e.CloneInto(&again[i])
				want[i] = whole(e.Clone())
				if n++; i == 0 {
					for j := range min(n, len(again)) {
						expect.Equal(t, fmt.Sprintf("event %d of the ring", j), whole(&again[j]), want[j])
					}
					expect.Stop(t)
				}
			}
			expect.NotZero(t, "events", n)
		})
	}
}

// TestCloneIntoAllocatesNothing: a ring of copies allocates nothing for events that are not
// larger than those before.
func TestCloneIntoAllocatesNothing(t *testing.T) {
	e, ok := codec.NewBytesReader(shared.Trace(t, "net10-mix-cpu.v4"), codec.Options{}).Next()
	if !ok {
		t.Fatal("no event")
	}
	var copied codec.Event
	e.CloneInto(&copied)
	expect.Equal(t, "allocations of a copy", testing.AllocsPerRun(100, func() { e.CloneInto(&copied) }), 0)
}
