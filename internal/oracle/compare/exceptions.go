package compare

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Exception is a case in which a column is not compared, because the other
// reader changes its value.
type Exception struct {
	Columns Columns
	Reason  string
	applies func(*codec.Event, wire.Format) bool
}

// Exceptions are all cases in which a column is left out. That numbers are cut
// to the other reader's widths is in the types of [Row].
var Exceptions = []Exception{
	{
		Opcode, "neither metadata nor a label has an opcode: the reader derives one from the event's name",
		func(e *codec.Event, _ wire.Format) bool { return !saysOpcode(e) },
	},
	{
		Processor, "the row has no processor (never in v3): the reader shows 0, or that of an earlier row",
		func(e *codec.Event, _ wire.Format) bool { return e.Processor == wire.UnknownProcessor },
	},
	{
		Processor, "v4, thread and capture thread differ: the reader shows the processor of an earlier row",
		func(e *codec.Event, f wire.Format) bool {
			return !f.HasThreadTable() && e.ThreadIndex != e.CaptureThreadIndex
		},
	},
	{
		Thread, "the thread has no id of the operating system: the reader makes one up",
		func(e *codec.Event, _ wire.Format) bool { _, ok := e.ThreadID(); return !ok },
	},
	{
		Process, "the trace has no process: the reader invents one",
		func(e *codec.Event, _ wire.Format) bool { _, ok := e.ProcessID(); return !ok },
	},
	{
		stack, "the reader drops the stacks of the runtime's rundown events",
		func(e *codec.Event, _ wire.Format) bool { return isRundown(e.Provider(), e.ID()) },
	},
	{
		stack, "the reader keeps the size of a stack in 16 bits, with its own bytes added",
		func(e *codec.Event, _ wire.Format) bool { return len(e.Stack())*8 > 65_500 },
	},
	{
		Related, "the reader takes the related activity id of a v3 event from unrelated memory",
		func(_ *codec.Event, f wire.Format) bool { return !f.HasSpecification() },
	},
}

// silent are the columns that are left out for an event.
func silent(e *codec.Event, f wire.Format) Columns {
	var c Columns
	for i := range Exceptions {
		if x := &Exceptions[i]; c&x.Columns != x.Columns && x.applies(e, f) {
			c |= x.Columns
		}
	}
	return c
}

func saysOpcode(e *codec.Event) bool {
	if m := e.Metadata(); m != nil && m.OpcodeSet {
		return true
	}
	return slices.ContainsFunc(e.Labels(), func(l codec.Label) bool { return l.Kind == wire.LabelOpcode })
}

func isRundown(provider string, id uint32) bool {
	switch provider {
	case "Microsoft-Windows-DotNETRuntimeRundown":
		return true
	case "Microsoft-Windows-DotNETRuntime":
		return id >= 140 && id <= 144 || id == 190
	}
	return false
}
