package codec

// ErrorPolicy says what the Reader does with a bad block.
type ErrorPolicy uint8

const (
	// Stop ends the iteration with the bad block's error.
	Stop ErrorPolicy = iota
	// Skip counts the block as bad and goes on with the next one. The rows
	// before the fault are delivered all the same.
	Skip
)

// Options of a Reader. The zero value is right for most programs.
type Options struct {
	// Order is the order in which Events and Next deliver. Default: FileOrder.
	Order Order
	// OnError chooses what a bad block does. Default: Stop.
	OnError ErrorPolicy
	// Strict makes the first defect fatal: the reading ends with it, before the event
	// that has it. A payload that does not fit its fields is found when they are asked
	// for, so its event is the last one that is delivered. By time, first means first
	// in the order of delivery. Default: off.
	Strict bool
	// OnDefect, when set, is called for each defect, between events. The Error
	// is valid during the call.
	OnDefect func(*Error)
	// OnLost, when set, is called for each gap in the sequence numbers, before
	// the event that shows it is delivered.
	OnLost func(Lost)
	// Schemas, when set, describes events whose metadata has no fields, as the
	// native events of the .NET runtime. It is asked once for a type of event, or
	// once for each version that labels give it. Package clr has one.
	Schemas func(m *Metadata, version uint32) (EventSchema, bool)
	// NoLeniency switches off the kindness towards real writers: payloads are read
	// by the text alone, and Schemas is not asked. Default: off. The kindness:
	// a Boolean may take one byte instead of four, a Byte field four instead of
	// one, a Decimal is a Double, a DateTime takes 8 bytes (FILETIME) or 16;
	// the first reading that consumes a payload exactly wins. Of a writer that
	// is recognised by its metadata (record-trace), a UTF8CodeUnit is a counted
	// string and the number of a label is not zig-zag.
	NoLeniency bool
	// NoStacks leaves out the addresses of stacks, for those who only count or
	// pass on: Event.Stack is nil, and Rows gives stacks without addresses. That
	// a row refers to a stack that is there is still seen. Default: off.
	NoStacks bool
	// Limits bounds what a stream can make the Reader hold.
	Limits Limits
}

// Limits bounds the memory that a stream can ask for. In each field 0 stands
// for the default and -1 for no limit. What exceeds one is a *LimitError.
type Limits struct {
	Block    int64 // bytes of one block's body. Default 16 MiB, more than v6 can express
	Metadata int64 // metadata rows at one time. Default 65,536
	Fields   int64 // payload fields of one metadata row, nested ones counted. Default 10,000
	Nesting  int64 // depth of types in types. Default 32
	Threads  int64 // threads at one time (v6), capture threads whose losses are counted. Default 262,144
	Stacks   int64 // bytes of stacks between two sequence points, as addresses of 8 bytes. Default 32 MiB
	Labels   int64 // labels between two sequence points. Default 262,144
	Reorder  int64 // bytes of the events that wait to be put in order. Default 32 MiB; beyond it, or where Total leaves no room, the older half goes out
	Total    int64 // bytes of all tables and buffers together, estimated, and a quarter on top for garbage. Default 48 MiB
}

// noLimit stands for -1 once the defaults are filled in.
const noLimit = 1<<63 - 1

// withDefaults replaces 0 by the default and -1 by noLimit.
func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		value *int64
		def   int64
	}{
		{&l.Block, 16 << 20}, {&l.Metadata, 65536}, {&l.Fields, 10000}, {&l.Nesting, 32},
		{&l.Threads, 262144}, {&l.Stacks, 32 << 20}, {&l.Labels, 262144}, {&l.Reorder, 32 << 20}, {&l.Total, 48 << 20},
	} {
		switch {
		case *f.value == 0:
			*f.value = f.def
		case *f.value < 0:
			*f.value = noLimit
		}
	}
	return l
}
