package symbols

import (
	"slices"
	"strings"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// Catch is the Location.Uncertain of code that can be in a catch block: while one
// runs, the runtime records the frame of its method at the call that threw.
const Catch = "catch"

// Uncertain reports why a thread need not be at the line that Locate returns for
// an address: Catch, or "" if the line is certain. callee is the next inner frame
// of the stack, nil for the innermost one. Without the module's image, which has
// the method's IL, it knows only that code after a throw instruction is never
// executed.
func (r *Resolver) Uncertain(code *clr.Code, address uint64, callee *clr.Frame) string {
	if code == nil || code.Token == 0 || address <= code.Start {
		return ""
	}
	f := r.files(code.Module)
	if !f.hasSource() {
		return ""
	}
	m := r.mapOf(f, code)
	offset := uint32(min(address-code.Start, uint64(code.Size)))
	at := m.regionOf(offset - 1)
	if !at.known {
		return ""
	}
	uncertain := false
	if body, ok := f.bodyOf(code.Token); ok {
		uncertain = body.Caught(at.il) && mismatch(body, code, m, at, offset, callee)
	} else {
		// A compiler puts a breakpoint instruction, which is never executed, after a call that does
		// not return.
		uncertain = m.handlers() && at.end-offset == 1 && at.end > offset && code.Optimized() && !dispatches(callee)
	}
	if uncertain {
		return Catch
	}
	return ""
}

// mismatch reports that the statement at an address cannot have called callee.
func mismatch(body *clrfile.Body, code *clr.Code, m *ilMap, at region, offset uint32, callee *clr.Frame) bool {
	_, above := m.around(at.il)
	s := body.Statement(at.il, above)
	switch {
	case dispatches(callee): // an exception was thrown: by the statement?
		return !s.Throws && !s.Faults && !s.Indirect
	case s.Throws && at.end <= offset+1: // the last call is that of throw
		return true
	case callee == nil || callee.Symbol == nil || callee.Code == nil || callee.Code.Token == 0:
		return false
	case code.Optimized() || s.Indirect || s.Faults && len(s.Calls) == 0:
		return false // an inlined method, or a helper of the runtime, can have called it
	}
	name := callee.Symbol.Method
	name = name[strings.LastIndexByte(name, '.')+1:]
	if strings.HasSuffix(callee.Symbol.Method, "ctor") {
		name = callee.Symbol.Method
	}
	// Helpers of the runtime are called by other instructions.
	return callee.Module == code.Module && !slices.Contains(s.Calls, name) && !isRun(callee.Symbol)
}

// isRun reports that the runtime calls a method without an instruction of the
// caller: a static constructor.
func isRun(s *clr.Symbol) bool { return s.Method == ".cctor" }

// dispatches reports whether a frame is code of the runtime that throws or
// dispatches an exception.
func dispatches(f *clr.Frame) bool {
	return f != nil && f.Symbol != nil && f.Symbol.Namespace == "System.Runtime.EH"
}

// region is a part of a body that has one IL offset.
type region struct {
	il    uint32
	end   uint32 // native offset
	known bool
}

// regionOf returns the region of a native offset, if the map has an IL offset
// there.
func (m *ilMap) regionOf(offset uint32) region {
	n := sortedBelow(len(m.points), func(i int) bool { return m.points[i].Native <= offset })
	if n == 0 || !isIL(m.points[n-1].IL) {
		return region{}
	}
	il, _ := m.at(offset)
	out := region{il: il, end: 1<<32 - 1, known: true}
	if n < len(m.points) {
		out.end = m.points[n].Native
	}
	return out
}

// handlers reports whether the body has handlers: each begins with a prologue of
// its own.
func (m *ilMap) handlers() bool {
	prologs := 0
	for _, p := range m.points {
		if p.IL == clr.Prolog {
			prologs++
		}
	}
	return prologs > 1
}
