package symbols

import (
	"cmp"
	"slices"
	"strings"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// placed is an image at its place in the memory of a process.
type placed struct {
	start, end uint64
	module     *clr.Module
	files      *moduleFiles
}

// Precompiled names an address of a process by the image that contains it: a
// method that was compiled ahead of time, whose name a trace without rundown does
// not have. It needs the module's image, and one body of the image in the trace
// (Learn), which gives its place. It returns false if the address is in no such
// method.
func (r *Resolver) Precompiled(process, address uint64) (clr.Frame, bool) {
	if r.placed == nil {
		r.place()
	}
	all := r.placed[process]
	n := sortedBelow(len(all), func(i int) bool { return all[i].start <= address })
	if n == 0 || address >= all[n-1].end {
		return clr.Frame{}, false
	}
	in := &all[n-1]
	method, ok := in.files.code.Find(uint32(address - in.start))
	if !ok {
		return clr.Frame{}, false
	}
	code := in.files.codeOf(in, method)
	if code == nil {
		return clr.Frame{}, false
	}
	return clr.Frame{Address: address, Symbol: code.symbol, Module: in.module, Evidence: clr.Image, Code: &code.Code}, true
}

// place finds the images of all processes.
func (r *Resolver) place() {
	r.placed = map[uint64][]placed{}
	for m, f := range r.modules {
		if code := f.openCode(); code != nil {
			p := placed{f.loaded.base, f.loaded.base + uint64(code.Image().Size()), m, f}
			r.placed[m.Process] = append(r.placed[m.Process], p)
		}
	}
	for _, all := range r.placed {
		slices.SortFunc(all, func(a, b placed) int { return cmp.Compare(a.start, b.start) })
	}
}

// imageCode is a method of an image with its name.
type imageCode struct {
	clr.Code
	symbol *clr.Symbol
}

// codeOf returns a method of an image, nil if the image has no name for it.
func (f *moduleFiles) codeOf(in *placed, m clrfile.Precompiled) *imageCode {
	code, known := f.named[m.Address]
	if known {
		return code
	}
	if typ, name, ok := f.code.Name(m); ok {
		name, _, _ = strings.Cut(name, "[") // events do not have the type arguments of methods
		code = &imageCode{
			clr.Code{Start: in.start + uint64(m.Address), Size: m.Size, Token: m.Token, Module: in.module, Precompiled: true},
			&clr.Symbol{Module: in.module, Namespace: typ, Method: name, Signature: f.image.Signature(m.Token)},
		}
	}
	if f.named == nil {
		f.named = map[uint32]*imageCode{}
	}
	f.named[m.Address] = code
	return code
}
