package perfetto

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nettrace-go/nettrace/profile"
)

// Fields of InternedData, whose entries have their number in field 1.
const (
	internedFunctions = 5
	internedFrames    = 6
	internedStacks    = 7
	internedModules   = 17 // paths of mappings
	internedSources   = 18
	internedMappings  = 19
	internedTasks     = 48
)

// interned has what a sequence has named.
type interned struct {
	added   message // by the packet that is being made
	frames  []bool  // by number of the name
	stacks  map[profile.StackID]bool
	tasks   map[int]bool // by thread
	modules map[string]uint64
	sources map[string]uint64
}

// clear forgets all.
func (n *interned) clear() {
	*n = interned{
		added: n.added[:0], stacks: map[profile.StackID]bool{}, tasks: map[int]bool{}, modules: map[string]uint64{}, sources: map[string]uint64{},
	}
}

// add adds an entry.
func (n *interned) add(field protowire.Number, entry message) {
	n.added = n.added.bytes(field, entry)
}

// stack returns the number of a stack, 0 for an empty one.
func (e *encoder) stack(id profile.StackID) uint64 {
	frames := e.p.Stack(id)
	if len(frames) == 0 {
		return 0
	}
	number := uint64(id) + 1
	if e.interned.stacks[id] {
		return number
	}
	e.interned.stacks[id] = true
	entry := message(nil).number(1, number)
	for i := len(frames) - 1; i >= 0; i-- { // the root first
		entry = entry.number(2, e.frame(frames[i]))
	}
	e.interned.add(internedStacks, entry)
	return number
}

// frame returns the number of a frame. Frames of one name are one frame.
func (e *encoder) frame(f profile.FrameID) uint64 {
	const jitted = 4
	id := e.names.ID(f)
	number := uint64(id) + 1
	for len(e.interned.frames) <= int(id) {
		e.interned.frames = append(e.interned.frames, false)
	}
	if e.interned.frames[id] {
		return number
	}
	e.interned.frames[id] = true
	name := e.names.List[id]
	if name.Text == "" {
		name.Text = "?"
	}
	e.interned.add(internedFunctions, message(nil).number(1, number).text(2, name.Text))
	entry := message(nil).number(1, number).number(2, number).number(3, e.mapping(name.Module))
	if name.File != "" {
		entry = entry.number(5, e.source(name.File))
		if name.Line > 0 {
			entry = entry.number(6, uint64(name.Line))
		}
	}
	e.interned.add(internedFrames, entry.number(7, jitted))
	return number
}

// mapping returns the number of the mapping of a module. Readers before v58 need one.
func (e *encoder) mapping(module string) uint64 {
	return e.interned.number(e.interned.modules, module, func(number uint64) {
		e.interned.add(internedModules, message(nil).number(1, number).text(2, module))
		e.interned.add(internedMappings, message(nil).number(1, number).number(7, number))
	})
}

// source returns the number of a source file.
func (e *encoder) source(file string) uint64 {
	return e.interned.number(e.interned.sources, file, func(number uint64) {
		e.interned.add(internedSources, message(nil).number(1, number).text(2, file))
	})
}

// number returns the number of a text. The first time it calls name.
func (n *interned) number(known map[string]uint64, text string, name func(uint64)) uint64 {
	number, ok := known[text]
	if !ok {
		number = uint64(len(known)) + 1
		known[text] = number
		name(number)
	}
	return number
}

// task returns the number of a thread as the context of samples.
func (e *encoder) task(thread int) uint64 {
	number := uint64(thread) + 1
	if !e.interned.tasks[thread] {
		e.interned.tasks[thread] = true
		e.interned.add(internedTasks, message(nil).number(1, number).number(2, e.pids[thread]).number(3, e.tids[thread]))
	}
	return number
}
