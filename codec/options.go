package codec

// ErrorPolicy decides what a Reader does with a bad block. The zero value is
// Stop.
type ErrorPolicy uint8

// The policies for bad blocks.
const (
	// Stop ends the iteration with the bad block's error.
	Stop ErrorPolicy = iota
	// Skip counts the block as bad and continues with the next one. The rows
	// before the fault are delivered.
	Skip
)

// Options configure a Reader. The zero value is right for most programs.
type Options struct {
	// Order is the order in which Events and Next deliver events. Default:
	// FileOrder.
	Order Order
	// OnError decides what a bad block does. Default: Stop.
	OnError ErrorPolicy
	// Strict makes the first defect fatal: the iteration ends with it, before
	// the event that has it. A payload that does not fit its fields is only
	// detected when the fields are read, so its event has already been
	// delivered. With ByTime, first means first in the order of delivery.
	// Default: off.
	Strict bool
	// OnDefect, if set, is called for each defect, between events. With Skip it
	// is also called for each bad block, possibly while some intact events of
	// the block are still to be delivered; for these calls errors.Is(e, ErrDefect)
	// is false. The Error is valid during the call.
	OnDefect func(*Error)
	// OnLost, if set, is called for each gap in the sequence numbers, before
	// the event after the gap is delivered.
	OnLost func(Lost)
	// Schemas, if set, returns the schemas of events whose metadata has no
	// fields, such as the native events of the .NET runtime. It is called once
	// for each metadata row, and once for each other version of the event in
	// labels. Package clr has such a function.
	Schemas func(m *Metadata, version uint32) (EventSchema, bool)
	// NoLeniency disables leniency towards real writers: payloads are decoded
	// as the specification says, and Schemas is not called. Default: off. The
	// leniency: a Boolean may have one byte instead of four, a Byte field four
	// instead of one, a Decimal may be a Double of 8 bytes, a DateTime may have
	// 8 bytes (FILETIME) or 16, and the field EventName of Microsoft-Extensions-Logging
	// may be missing. The Reader takes the first combination with which the fields use
	// all bytes of a payload.
	// For a writer that is recognized by its metadata (record-trace), a
	// UTF8CodeUnit is a counted string and the number of a label is not zig-zag
	// encoded.
	NoLeniency bool
	// NoStacks leaves out the addresses of stacks, for programs that do not
	// need them: Event.Stack returns nil, and Rows returns stacks without
	// addresses. References to missing stacks are still reported. Default: off.
	NoStacks bool
	// Limits bounds the memory that a stream can make the Reader use.
	Limits Limits
}

// Limits bounds the memory that a stream can require. In each field 0 means the
// default and -1 means no limit. A stream that exceeds one results in a
// *LimitError.
type Limits struct {
	Block    int64 // bytes of one block's body. Default 16 MiB, more than v6 can express
	Metadata int64 // metadata rows at one time. Default 65,536
	Fields   int64 // payload fields of one metadata row, including nested ones. Default 10,000
	Nesting  int64 // depth of types in types. Default 32
	Threads  int64 // threads at one time (v6), and capture threads whose losses are counted. Default 262,144
	Stacks   int64 // bytes of stacks between two sequence points, as addresses of 8 bytes. Default 32 MiB
	Labels   int64 // labels between two sequence points. Default 262,144
	Reorder  int64 // bytes of the events in memory for Options.Order. Default 32 MiB; beyond it, or if Total is reached, the older half is delivered
	Total    int64 // estimated bytes of all tables and buffers together; the estimate adds a quarter to the memory in use, for garbage. Default 48 MiB
}

// noLimit replaces -1 when the defaults are set.
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
