package symbols

import (
	"slices"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// minCalls is the number of return addresses that must agree about the place of an
// image. One address in 50 of an image follows a call by chance.
const minCalls = 8

// maxFirst is the number of return addresses that are tried as one of an image.
const maxFirst = 64

// PlaceByCalls finds where the images of modules are in the memory of a process, if
// the trace has no method of theirs: returns are return addresses of stacks without a
// name. An image is at the only place where all of them that it contains follow a call
// in one of its methods, at least eight of them. Images with fewer are not placed.
func (r *Resolver) PlaceByCalls(modules []*clr.Module, returns []uint64) {
	returns = slices.Clone(returns)
	slices.Sort(returns)
	returns = slices.Compact(returns)
	for _, m := range modules {
		if len(returns) < minCalls {
			return
		}
		f := r.files(m)
		if f.openCode() != nil || f.openImage() == nil {
			continue
		}
		if f.code == nil {
			if f.code, _ = f.image.ReadyToRun(); f.code == nil {
				continue
			}
		}
		if base, ok := placeOf(f.code, returns); ok {
			f.loaded = imageBase{base: base, most: 1}
			r.placed = nil
			end := base + uint64(f.image.Size())
			returns = slices.DeleteFunc(returns, func(a uint64) bool { return base <= a && a < end })
		}
	}
}

// placeOf returns the place of an image.
func placeOf(code *clrfile.ReadyToRun, returns []uint64) (uint64, bool) {
	const page = 4096
	size := uint64(code.Image().Size())
	step := max(len(returns)/maxFirst, 1)
	for i := 0; i < len(returns); i += step {
		first := returns[i]
		for at := first % page; at < size && at <= first; at += page {
			if !code.AfterCall(uint32(at)) {
				continue
			}
			if base := first - at; agree(code, returns, base, base+size) {
				return base, true
			}
		}
	}
	return 0, false
}

// agree reports whether the addresses in an image at a place follow calls.
func agree(code *clrfile.ReadyToRun, returns []uint64, base, end uint64) bool {
	from, _ := slices.BinarySearch(returns, base)
	calls := 0
	for _, a := range returns[from:] {
		if a >= end {
			break
		}
		if !code.AfterCall(uint32(a - base)) {
			return false
		}
		calls++
	}
	return calls >= minCalls
}
