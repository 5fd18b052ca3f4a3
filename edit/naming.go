package edit

import "github.com/nettrace-go/nettrace/codec"

// Naming selects the naming events that a slice needs: those that name the
// addresses of its stacks, its processes and their threads. A naming event is
// one that describes a method, module, process or thread. Package
// codec/clr/symbols implements Naming for the events of .NET and of
// Universal.System: see symbols.NewNaming. A Naming is for one call of Slice or
// Split.
type Naming interface {
	// Names reports whether e is a naming event whose payload has all the
	// fields of its type.
	Names(e *codec.Event) bool
	// Add takes an event of the source and examines it if it is a naming event.
	// It must not keep any part of e after the call. An error, such as a
	// *codec.LimitError, ends Slice.
	Add(e *codec.Event) error
	// Use receives an event that was selected for a part of the output: 0 for
	// Slice, from 0 for Split. The part needs the names of the addresses of e's
	// stack and of its process.
	Use(part int, e *codec.Event) error
	// End is called when Add has received all naming events of the source.
	End()
	// Needs reports whether a part needs the naming event e. Before End it may
	// return true for events that turn out not to be needed.
	Needs(part int, e *codec.Event) bool
	// Forget is called when the part is complete.
	Forget(part int)
}
