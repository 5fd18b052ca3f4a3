package unwind

import (
	"slices"

	"github.com/nettrace-go/nettrace/perf"
)

// The ways in which a frame is found, as perf.Repair.How has them. byFrame is the kernel's.
const (
	byFrame   = ""
	byCaller  = "caller"
	byOSR     = "osr"
	byUnwind  = "unwind"
	fromChain = "chain" // of the kernel, after the end of the copy
)

// Chain returns the repaired call chain of a sample. It is valid until the next call.
func (u *Unwinder) Chain(r *perf.Record) perf.Chain {
	cut := len(r.Kernel)+len(r.User) >= 127
	if !r.HasRegisters || len(r.Stack) < wordSize || len(r.User) == 0 {
		return perf.Chain{Addresses: r.User, Cut: cut}
	}
	w := walker{u: u, r: r, read: reading(r)}
	u.walkOwn(r, w.read)
	g := &r.Registers
	for register, v := range map[int]uint64{regIP: g.IP, regSP: g.SP, regBP: g.BP, regBX: g.BX, 12: g.R12, 13: g.R13, 14: g.R14, 15: g.R15} {
		w.at.set(register, v)
	}
	u.out, u.repairs = append(u.out[:0], g.IP), u.repairs[:0]
	ended := w.walk()
	if !ended {
		if i, ok := u.own[w.at.value[regBP]]; ok && w.at.known[regBP] && w.beyond {
			for _, address := range r.User[i+1:] {
				w.add(address, fromChain)
			}
			ended = !cut
		} else if len(u.out) < len(r.User) {
			return perf.Chain{Addresses: r.User, Cut: cut}
		}
	}
	ended = ended || !cut && u.out[len(u.out)-1] == r.User[len(r.User)-1] // as the kernel's
	u.mark(r)
	return perf.Chain{Addresses: u.out, Repairs: u.repairs, Cut: !ended}
}

// mark leaves the frames that the kernel found too unmarked. It compares the chains from the root:
// near the leaf a frame that the kernel lost can be the same as one that it found further out.
func (u *Unwinder) mark(r *perf.Record) {
	at := len(r.User)
	for n := len(u.repairs) - 1; n >= 0; n-- {
		repair := &u.repairs[n]
		i := at - 1
		for i >= 0 && r.User[i] != u.out[repair.Frame] {
			i--
		}
		switch {
		case i >= 0:
			at, repair.How = i, fromChain
		case repair.How == byFrame:
			repair.How = byUnwind // after a frame that the kernel lost
		}
	}
	u.repairs = slices.DeleteFunc(u.repairs, func(repair perf.Repair) bool { return repair.How == fromChain })
}

// walker walks the frames of one sample.
type walker struct {
	u      *Unwinder
	r      *perf.Record
	read   memory
	at     frame
	leaf   bool
	beyond bool // the copy of the stack ended
}

func (w *walker) add(address uint64, how string) {
	w.u.repairs = append(w.u.repairs, perf.Repair{Frame: len(w.u.out), How: how})
	w.u.out = append(w.u.out, address)
}

// walk adds the callers of the leaf. It returns false if the outer end is missing.
func (w *walker) walk() (ended bool) {
	for w.leaf = true; len(w.u.out) < maxFrames; w.leaf = false {
		how, end, ok := w.step()
		switch {
		case !ok:
			return false
		case end:
			return true
		}
		ip := w.at.value[regIP]
		if ip == 0 {
			return true
		}
		if _, mapped := w.u.maps.Find(ip-1, w.r.Time); !mapped {
			return false
		}
		w.add(ip, how)
	}
	return false
}

// word reads the stack, and notes where the copy ends.
func (w *walker) word(address uint64) (uint64, bool) {
	v, ok := w.read(address)
	if !ok && address >= w.r.Registers.SP {
		w.beyond = true
	}
	return v, ok
}

// step replaces the registers by those of the caller.
func (w *walker) step() (how string, end, ok bool) {
	u, ip := w.u, w.at.value[regIP]
	look := ip
	if !w.leaf {
		look--
	}
	if body, managed := u.bodyOf(ip, w.leaf, w.r.Time); managed {
		switch {
		case body.OSR && (!w.leaf || ip-body.Start >= afterPrologue):
			return byOSR, false, w.osr(&body)
		case w.leaf && w.isFrameless(&body):
			return byCaller, false, w.pop()
		}
		return byFrame, false, w.framePointer()
	}
	m, mapped := u.maps.Find(look, w.r.Time)
	if mapped && (m.IsFile() || m.Path == "[vdso]") {
		if t, place := u.table(m, look); t != nil {
			if rules := t.at(place); rules != nil {
				up, end, ok := rules.caller(&w.at, w.word)
				if ok && !end {
					w.at = up
				}
				return byUnwind, end, ok
			}
		}
	}
	if w.leaf && mapped && (m.IsMemory() || m.Path == "") { // a stub
		if top, ok := w.word(w.at.value[regSP]); ok && u.isCode(top, w.r.Time) {
			return byCaller, false, w.pop()
		}
	}
	return byFrame, false, w.framePointer()
}

// isFrameless reports whether the return address of a leaf is at the stack pointer.
func (w *walker) isFrameless(body *perf.Body) bool {
	top, ok := w.word(w.at.value[regSP])
	if !ok || !w.u.isCode(top, w.r.Time) {
		return false
	}
	if w.at.value[regIP] == body.Start {
		return true
	}
	v := w.u.leaves[body.Start]
	return v != nil && v.samples > 0 && 10*v.frameless >= most*v.samples && w.at.value[regBP] != w.at.value[regSP]
}

// pop returns from a function without a frame.
func (w *walker) pop() bool {
	sp := w.at.value[regSP]
	back, ok := w.word(sp)
	if !ok {
		return false
	}
	w.at.set(regIP, back)
	w.at.set(regSP, sp+wordSize)
	return true
}

// framePointer returns from a function with a frame.
func (w *walker) framePointer() bool {
	if !w.at.known[regBP] {
		return false
	}
	return w.leave(w.at.value[regBP], w.at.value[regBP])
}

// leave returns from a frame whose saved frame pointer is at one address of equal value at
// another one, which is followed by the return address.
func (w *walker) leave(frameAt, slot uint64) bool {
	saved, ok := w.word(frameAt)
	back, ok2 := w.word(slot + wordSize)
	if !ok || !ok2 {
		return false
	}
	w.at = frame{}
	w.at.set(regIP, back)
	w.at.set(regBP, saved)
	w.at.set(regSP, slot+2*wordSize)
	return true
}

// osr returns from a body that runs in the frame of the body before.
func (w *walker) osr(body *perf.Body) bool {
	if !w.at.known[regBP] {
		return false
	}
	base := w.at.value[regBP]
	caller, ok := w.word(base)
	if !ok {
		return false
	}
	if j := w.u.slot(body.Start); j > 0 {
		at := base + uint64(wordSize*j)
		if word, ok := w.word(at); !ok || word != caller {
			return false
		}
		return w.leave(base, at)
	}
	for at := base + wordSize; at < caller; at += wordSize { // no sample shows the place: the first with managed code
		word, ok := w.word(at)
		back, ok2 := w.word(at + wordSize)
		if !ok || !ok2 {
			return false
		}
		if word != caller {
			continue
		}
		if _, managed := w.u.body(back-1, w.r.Time); managed {
			return w.leave(base, at)
		}
	}
	return false
}
