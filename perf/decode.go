package perf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// The records of the kernel, and bits of their headers: see perf_event_open(2).
const (
	recordLost        = 2
	recordComm        = 3
	recordExit        = 4
	recordThrottle    = 5
	recordFork        = 7
	recordSample      = 9
	recordMmap2       = 10
	recordLostSamples = 13
	recordSwitch      = 14

	miscExec      = 1 << 13 // of comm
	miscOut       = 1 << 13 // of switch
	miscPreempted = 1 << 14
	miscBuildID   = 1 << 14 // of mmap2

	headerSize   = 8
	sampleIDSize = 32 // at the end of each record but samples

	contextUser = ^uint64(0) - 512 + 1
	protExec    = 4
)

// decoder decodes the records of the events that this package opens, whose sample type is
// sampleType, with registers and a copy of the stack if stack is set.
type decoder struct {
	stack bool
	chain []uint64
	names map[string]string
}

// decode decodes one record. ok is false for one that says nothing.
func (d *decoder) decode(b []byte) (r Record, ok bool) {
	if len(b) < headerSize {
		return r, false
	}
	kind, misc := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint16(b[4:])
	c := cursor{b: b[headerSize:]}
	if kind == recordSample {
		return d.sample(&c)
	}
	if len(c.b) < sampleIDSize {
		return r, false
	}
	tail := cursor{b: c.b[len(c.b)-sampleIDSize:]}
	c.b = c.b[:len(c.b)-sampleIDSize]
	r.PID, r.TID, r.Time, r.CPU = tail.u32(), tail.u32(), tail.u64(), tail.u32()
	switch kind {
	case recordLost:
		c.u64()
		r.Kind, r.Count = Lost, c.u64()
	case recordLostSamples:
		r.Kind, r.Count = Lost, c.u64()
	case recordComm:
		r.Kind, r.Exec = Named, misc&miscExec != 0
		r.PID, r.TID = c.u32(), c.u32()
		r.Name = d.text(c.b)
	case recordFork:
		r.Kind = Started
		r.PID, _, r.TID, r.Parent = c.u32(), c.u32(), c.u32(), c.u32()
	case recordExit:
		r.Kind = Ended
		r.PID, _, r.TID = c.u32(), c.u32(), c.u32()
	case recordThrottle:
		r.Kind = Throttled
	case recordSwitch:
		r.Kind = SwitchedIn
		if misc&miscOut != 0 {
			r.Kind, r.Preempted = SwitchedOut, misc&miscPreempted != 0
		}
	case recordMmap2:
		return r, d.mapping(&r, &c, misc&miscBuildID != 0)
	default:
		return r, false
	}
	return r, !c.short
}

// mapping decodes a mapping. It returns false for memory without code.
func (d *decoder) mapping(r *Record, c *cursor, hasBuildID bool) bool {
	r.Kind = Mapped
	r.PID, r.TID = c.u32(), c.u32()
	m := &r.Mapping
	m.Start = c.u64()
	m.End, m.Offset = m.Start+c.u64(), c.u64()
	id := c.bytes(24)
	protection := c.u32()
	c.u32()
	if c.short || m.End < m.Start || protection&protExec == 0 {
		return false
	}
	if hasBuildID && id[0] <= 20 {
		m.BuildID = fmt.Sprintf("%x", id[4:4+id[0]])
	}
	m.Path = cleanPath(d.text(c.b))
	return true
}

// cleanPath is the path of a mapping: memory without a file has no path.
func cleanPath(path string) string {
	if path == "//anon" {
		return ""
	}
	return path
}

// text returns a text that ends with a zero byte, once for equal ones.
func (d *decoder) text(b []byte) string {
	if n := bytes.IndexByte(b, 0); n >= 0 {
		b = b[:n]
	}
	s, ok := d.names[string(b)]
	if !ok {
		s = strings.ToValidUTF8(string(b), "�")
		if d.names == nil {
			d.names = map[string]string{}
		}
		d.names[s] = s
	}
	return s
}

// sample decodes a sample.
func (d *decoder) sample(c *cursor) (r Record, ok bool) {
	r.Kind = Sample
	c.u64() // id of the event
	c.u64() // instruction pointer, the first of the chain
	r.PID, r.TID, r.Time, r.CPU = c.u32(), c.u32(), c.u64(), c.u32()
	c.u32()
	r.Period = c.u64()
	n := c.u64()
	if c.short || n > uint64(len(c.b))/8 {
		return r, false
	}
	d.chain = d.chain[:0]
	kernel, user := 0, false
	for range n {
		switch address := c.u64(); {
		case address == contextUser:
			user, kernel = true, len(d.chain)
		case address >= ^uint64(0)-4095: // the kernel, and those of virtual machines
			user = false
		default:
			d.chain = append(d.chain, address)
		}
	}
	if !user {
		kernel = len(d.chain)
	}
	r.Kernel, r.User = d.chain[:kernel:kernel], d.chain[kernel:]
	if d.stack {
		d.copied(&r, c)
	}
	if r.Period == switchPeriod {
		r.Kind = Switching
	}
	return r, !c.short
}

// switchPeriod is the period of samples of the event context-switches: each one. No sample of
// the clock has it.
const switchPeriod = 1

// copied decodes the registers and the stack.
func (d *decoder) copied(r *Record, c *cursor) {
	const bits64 = 2
	if abi := c.u64(); abi != 0 {
		g := &r.Registers
		for _, at := range [...]*uint64{&g.BX, &g.BP, &g.SP, &g.IP, &g.R12, &g.R13, &g.R14, &g.R15} {
			*at = c.u64()
		}
		r.HasRegisters = abi == bits64
	}
	size := c.u64()
	if size == 0 {
		return
	}
	b := c.bytes(size)
	if used := c.u64(); !c.short {
		r.Stack = b[:min(used, size)]
	}
}

// cursor reads numbers.
type cursor struct {
	b     []byte
	short bool // the bytes ended too early
}

func (c *cursor) bytes(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.short, c.b = true, nil
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) u32() uint32 {
	if b := c.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// timeOf returns the time of a record without decoding it.
func timeOf(b []byte) uint64 {
	at := len(b) - sampleIDSize + 8
	if binary.LittleEndian.Uint32(b) == recordSample {
		at = headerSize + 8 + 8 + 8
	}
	if at < 0 || at+8 > len(b) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[at:])
}

// MappingOf returns the mapping of a record, in the form that Recorder.Run passes on; ok is false
// for other records and for memory without code.
func MappingOf(b []byte) (m Mapping, ok bool) {
	if len(b) < headerSize || recordKind(b) != recordMmap2 {
		return m, false
	}
	r, ok := (&decoder{}).decode(b)
	return r.Mapping, ok
}
