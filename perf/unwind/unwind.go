package unwind

import (
	"encoding/binary"
	"io"

	"github.com/nettrace-go/nettrace/perf"
)

// Options configure an Unwinder. The zero value knows no managed code and no files.
type Options struct {
	// Bodies are the managed code of the process.
	Bodies *perf.Bodies
	// Open opens a file of the process by its path.
	Open func(path string) (io.ReadCloser, error)
	// Maps are the mappings at the start.
	Maps []perf.Mapping
}

// Unwinder repairs the call chains of one process. It is for one goroutine.
type Unwinder struct {
	opt    Options
	maps   perf.Maps
	files  map[string]*Table // by path and build id; nil: no tables
	leaves map[uint64]*leafVotes
	osr    map[uint64]*slotVotes // by start of the body
	slots  map[uint64]int        // decided: words above the frame, 0 for none

	out     []uint64
	repairs []perf.Repair
	own     map[uint64]int // frame pointers of the kernel's walk: index of their frames
}

// leafVotes counts the samples in a body as a leaf, and those with a return address at the stack
// pointer.
type leafVotes struct{ samples, frameless int }

// slotVotes counts, for an OSR body, in which words above its frame the caller's frame pointer
// is, with a return address after it.
type slotVotes struct {
	samples int
	at      [maxSlot]struct{ all, managed int }
}

// maxSlot bounds the distance of the caller's frame pointer, in words.
const maxSlot = 200

// afterPrologue is the number of bytes of an OSR body before its frame is complete.
const afterPrologue = 8

// most is the part of the samples of a body that must agree, in tenths.
const most = 9

// maxFrames bounds a chain.
const maxFrames = 1024

// New returns an Unwinder.
func New(opt Options) *Unwinder {
	u := &Unwinder{
		opt: opt, files: map[string]*Table{}, leaves: map[uint64]*leafVotes{}, osr: map[uint64]*slotVotes{},
		slots: map[uint64]int{}, own: map[uint64]int{},
	}
	for _, m := range opt.Maps {
		u.maps.Add(m, 0)
	}
	return u
}

// Learn learns from a record what all samples of a body have in common. Call it for all records
// before the first Chain.
func (u *Unwinder) Learn(r *perf.Record) {
	switch r.Kind {
	case perf.Mapped:
		u.maps.Add(r.Mapping, r.Time)
	case perf.Sample:
		if r.HasRegisters && len(r.Stack) >= wordSize {
			u.learn(r)
		}
	}
}

const wordSize = 8

// reading returns a function that reads the copied stack of a sample.
func reading(r *perf.Record) memory {
	return func(address uint64) (uint64, bool) {
		at := address - r.Registers.SP
		if at%wordSize != 0 || at > uint64(len(r.Stack)) || uint64(len(r.Stack))-at < wordSize {
			return 0, false
		}
		return binary.LittleEndian.Uint64(r.Stack[at:]), true
	}
}

func (u *Unwinder) learn(r *perf.Record) {
	read := reading(r)
	if body, ok := u.body(r.Registers.IP, r.Time); ok {
		v := u.leaves[body.Start]
		if v == nil {
			v = &leafVotes{}
			u.leaves[body.Start] = v
		}
		v.samples++
		if top, ok := read(r.Registers.SP); ok && u.isCode(top, r.Time) {
			v.frameless++
		}
	}
	if len(r.User) < 3 || len(r.User)+len(r.Kernel) >= 127 {
		return
	}
	u.walkOwn(r, read)
	for frame, i := range u.own {
		body, ok := u.bodyOf(r.User[i], i == 0, r.Time)
		if !ok || !body.OSR || r.User[i]-body.Start < afterPrologue {
			continue
		}
		caller, ok := read(frame)
		if !ok {
			continue
		}
		v := u.osr[body.Start]
		if v == nil {
			v = &slotVotes{}
			u.osr[body.Start] = v
		}
		v.samples++
		for j := 1; j < maxSlot && frame+uint64(wordSize*j) < caller; j++ {
			at := frame + uint64(wordSize*j)
			word, ok := read(at)
			back, ok2 := read(at + wordSize)
			if !ok || !ok2 {
				break
			}
			if word == caller && u.isCode(back, r.Time) {
				v.at[j].all++
				if _, managed := u.body(back-1, r.Time); managed {
					v.at[j].managed++
				}
			}
		}
	}
}

// walkOwn walks the frame pointers beside the kernel's chain: own is the frame pointer of each
// frame of it, as far as the copy reaches.
func (u *Unwinder) walkOwn(r *perf.Record, read memory) {
	clear(u.own)
	frame := r.Registers.BP
	for i := range r.User {
		if _, known := u.own[frame]; !known {
			u.own[frame] = i
		}
		if i+1 < len(r.User) {
			if back, ok := read(frame + wordSize); !ok || back != r.User[i+1] {
				return
			}
		}
		next, ok := read(frame)
		if !ok {
			return
		}
		frame = next
	}
}

// slot returns how many words above the frame of an OSR body the caller's frame pointer is; 0 if
// the samples do not show it.
func (u *Unwinder) slot(body uint64) int {
	if j, known := u.slots[body]; known {
		return j
	}
	best, managed := 0, false
	if v := u.osr[body]; v != nil {
		for j := range v.at {
			one := &v.at[j]
			inManaged := 10*one.managed >= most*v.samples
			if 10*one.all >= most*v.samples && (inManaged || !managed) && one.all > 0 { // of several the last, managed ones first
				best, managed = j, inManaged
			}
		}
	}
	u.slots[body] = best
	return best
}

func (u *Unwinder) body(address, time uint64) (perf.Body, bool) {
	if u.opt.Bodies == nil {
		return perf.Body{}, false
	}
	return u.opt.Bodies.Find(address, time)
}

// bodyOf returns the body of a frame: of a caller that of the call. A word that is the first
// address of an OSR body is its own marker (.NET 11).
func (u *Unwinder) bodyOf(ip uint64, leaf bool, time uint64) (perf.Body, bool) {
	if leaf {
		return u.body(ip, time)
	}
	if body, ok := u.body(ip-1, time); ok {
		return body, true
	}
	body, ok := u.body(ip, time)
	return body, ok && body.OSR && body.Start == ip
}

// isCode reports whether a word can be a return address.
func (u *Unwinder) isCode(address, time uint64) bool {
	if address < 1<<16 || address>>47 != 0 {
		return false
	}
	if _, ok := u.body(address-1, time); ok {
		return true
	}
	m, ok := u.maps.Find(address-1, time)
	return ok && m.IsFile()
}

// table returns the unwind tables of the file that is mapped at an address, and the address in
// the file's own space.
func (u *Unwinder) table(m *perf.Mapping, address uint64) (*Table, uint64) {
	key := m.Path + "\x00" + m.BuildID
	t, known := u.files[key]
	if !known {
		t = u.open(m.Path)
		u.files[key] = t
	}
	if t == nil {
		return nil, 0
	}
	place, ok := t.addressOf(address - m.Start + m.Offset)
	if !ok {
		return nil, 0
	}
	return t, place
}

// largestFile bounds the files that are read.
const largestFile = 1 << 30

func (u *Unwinder) open(path string) *Table {
	if u.opt.Open == nil {
		return nil
	}
	f, err := u.opt.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil || string(magic[:]) != "\x7fELF" {
		return nil
	}
	rest, err := io.ReadAll(io.LimitReader(f, largestFile))
	if err != nil {
		return nil
	}
	t, err := Read(append(magic[:], rest...))
	if err != nil {
		return nil // a malformed table: frame pointers remain
	}
	return t
}
