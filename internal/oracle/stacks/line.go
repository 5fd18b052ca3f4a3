package stacks

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Event has the columns that the lines of one event share. There may be several
// events of one kind at a time.
type Event struct {
	Ticks    uint64
	Provider string
	ID       uint32
	Thread   uint32
}

// Frame is a frame of a line.
type Frame struct {
	Name     string // module!name or module!0xaddress
	Evidence symbols.Evidence
}

// Named reports whether the frame has more than its address.
func (f Frame) Named() bool {
	_, name, _ := strings.Cut(f.Name, "!")
	return !strings.HasPrefix(name, "0x")
}

// folded is the name with its module in lower case.
func (f Frame) folded() string {
	module, name, _ := strings.Cut(f.Name, "!")
	return strings.ToLower(module) + "!" + name
}

// Lines are the stacks of events, leaf first.
type Lines map[Event][][]Frame

// Ask has the other reader print the stacks of a trace that is not compressed.
// What it printed before it failed is returned with the error.
func Ask(te, trace string) (Lines, error) {
	out, failed := exec.Command(te, "stacks", trace).Output()
	lines, err := Parse(string(out))
	if err == nil && failed != nil {
		err = fmt.Errorf("te stacks %s: %w", trace, failed)
	}
	return lines, err
}

// dynamicGC is the runtime's event 39, which the other reader prints with a
// number of its own.
const dynamicGC, itsDynamicGC = 39, 65524

// Parse reads the other reader's lines. A last line that does not end is left
// out.
func Parse(text string) (Lines, error) {
	lines := Lines{}
	for line := range strings.Lines(text) {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(cells) < 5 {
			return lines, fmt.Errorf("%d cells in %q", len(cells), line)
		}
		ticks, err := strconv.ParseUint(cells[0], 10, 64)
		if err != nil {
			return lines, err
		}
		id, err := strconv.ParseUint(cells[2], 10, 32)
		if err != nil {
			return lines, err
		}
		thread, err := strconv.ParseInt(cells[3], 10, 64)
		if err != nil {
			return lines, err
		}
		if id == itsDynamicGC && cells[1] == "Microsoft-Windows-DotNETRuntime" {
			id = dynamicGC
		}
		e := Event{ticks, cells[1], uint32(id), uint32(thread)}
		var frames []Frame
		for _, name := range cells[4:] {
			frames = append(frames, Frame{Name: name})
		}
		lines[e] = append(lines[e], frames)
	}
	return lines, nil
}

// recorded is a line before its frames have names.
type recorded struct {
	event   Event
	process uint64
	stack   []uint64
}

// Read takes the stacks from a reader, names their frames, and returns what ended
// the stream too early, if anything did.
func Read(r *codec.Reader) (Lines, error) {
	table := symbols.NewTable(symbols.Options{})
	var all []recorded
	var failed error
	for e, err := range r.Events() {
		if failed = err; err != nil {
			break
		}
		table.Add(e)
		stack := e.Stack()
		if len(stack) == 0 {
			continue
		}
		thread, _ := e.ThreadID()
		one := recorded{Event{e.Timestamp, e.Provider(), e.ID(), uint32(thread)}, symbols.Process(e), append([]uint64(nil), stack...)}
		for _, address := range stack {
			table.AddWanted(one.process, address)
		}
		all = append(all, one)
	}
	lines := Lines{}
	for _, one := range all {
		frames := make([]Frame, len(one.stack))
		for i, address := range one.stack {
			f := table.Lookup(symbols.Query{Process: one.process, Address: address, Ticks: one.event.Ticks})
			frames[i] = Frame{f.RawName(), f.Evidence}
		}
		lines[one.event] = append(lines[one.event], frames)
	}
	return lines, failed
}
