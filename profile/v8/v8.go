// Package v8 writes a profile in the formats of V8, which Chrome, Edge and VS Code open:
// .cpuprofile for times and .heapprofile for allocations. They are the types
// Profiler.Profile and HeapProfiler.SamplingHeapProfile of the protocol of Chrome
// DevTools.
package v8

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// Options configure a file. The zero value is right for most programs.
type Options struct {
	// Type selects the samples: for WriteCPU a type that measures time (default: wall
	// time), for WriteHeap one whose values are bytes (default: allocations).
	Type profile.Type
	// RawNames shows methods as the runtime writes them.
	RawNames bool
}

// encoder writes JSON.
type encoder struct {
	*bufio.Writer
	names *calltree.Names
}

func newEncoder(w io.Writer, p *profile.Profile, opt *Options) *encoder {
	return &encoder{bufio.NewWriterSize(w, 64<<10), calltree.NewNames(p, calltree.Naming(opt.RawNames))}
}

// text writes text. Flush returns the error.
func (e *encoder) text(s string) { _, _ = e.WriteString(s) }

func (e *encoder) number(n int64) { _, _ = e.Write(strconv.AppendInt(e.AvailableBuffer(), n, 10)) }

// separate writes the comma before element i of a list.
func (e *encoder) separate(i int) {
	if i > 0 {
		e.text(",")
	}
}

// frame writes a callFrame. Methods have no place in a script.
func (e *encoder) frame(name, module string) {
	e.text(`"callFrame":{"functionName":`)
	_, _ = e.Write(calltree.Quote(name))
	e.text(`,"scriptId":"0","url":`)
	_, _ = e.Write(calltree.Quote(module))
	e.text(`,"lineNumber":-1,"columnNumber":-1}`)
}

// unitError is the error of a type whose values the format cannot express.
func unitError(format string, t profile.Type, unit string) error {
	return fmt.Errorf("%s: the values of type %v are not %s", format, t, unit)
}
