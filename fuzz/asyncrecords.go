package fuzz

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/async"
)

// fuzzAsync is the function of FuzzAsync. It puts records into two buffers, of which
// the first may change the ids of the second, and reads them with package async and by a
// second decoder.
func fuzzAsync(t testing.TB, first, second []byte) {
	if len(first)+len(second) > longestInput {
		return
	}
	defer guard()()
	var r async.Reader
	widths := map[byte]int{}
	for id, width := range []int{1, 1, 0, 0, 1, 2, 2, 2, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 2, 0, 0, 2, 1} {
		widths[byte(id+1)] = width
	}
	for i, records := range [][]byte{first, second} {
		want, count, end := plainRecords(records, widths)
		payload := asyncPayload(records, count, end)
		var got []string
		if err := r.Reset(payload); err != nil {
			t.Fatalf("buffer %d: %v", i, err)
		}
		for r.Next() {
			got = append(got, recordText(&r.Record))
		}
		if complete := count >= 0; !slices.Equal(got, want) || complete != (r.Err() == nil) {
			t.Fatalf("buffer %d: got\n%v\nwant\n%v\nerror %v, want one: %v\n%x\n%x", i, got, want, r.Err(), !complete, first, second)
		}
	}
}

// asyncPayload is the payload of an event with records that begin at the time 5.
func asyncPayload(records []byte, count int, end uint64) []byte {
	size := uint32(37 + len(records))
	b := append32(nil, size)
	b = append32(append(b, 1), size, 1)
	b = append32(append64(b, 9), uint32(max(count, 0)))
	return append(append64(b, 5, end), records...)
}

// recordText describes a record.
func recordText(r *async.Record) string {
	text := fmt.Sprint(r.ID, r.Ticks, r.Payload, r.Parent, r.Dispatcher, r.Unwound, r.Clock, r.UTC, r.Frames.FirstWrapper())
	for f, ok := r.Frames.Next(); ok; f, ok = r.Frames.Next() {
		text += fmt.Sprintf(" %x:%d", f.Address, f.State)
	}
	return text
}

// plainRecords reads records step by step. It returns those before the first fault, their
// number, -1 with a fault, and the time of the last one.
func plainRecords(b []byte, widths map[byte]int) (list []string, count int, ticks uint64) {
	for ticks = 5; len(b) > 0; count++ {
		var r async.Record
		r.ID = async.ID(b[0])
		delta, ok := takeBig(&b, 1)
		width, known := widths[byte(r.ID)]
		sum := new(big.Int).Add(new(big.Int).SetUint64(ticks), delta)
		if !ok || !sum.IsUint64() || !known || len(b) < width {
			return list, -1, ticks
		}
		size := int(binary.LittleEndian.Uint32(append(slices.Clone(b[:width]), 0, 0, 0, 0)))
		if b = b[width:]; len(b) < size {
			return list, -1, ticks
		}
		p := plainFields{b: b[:size]}
		b, r.Payload, r.Ticks = b[size:], b[:size], sum.Uint64()
		start, frames := p.record(&r, widths)
		if p.short {
			return list, -1, ticks
		}
		ticks = r.Ticks
		list = append(list, fmt.Sprint(r.ID, r.Ticks, r.Payload, r.Parent, r.Dispatcher, r.Unwound, r.Clock, r.UTC, start)+frames)
	}
	return list, count, ticks
}

// plainFields reads the fields of a record.
type plainFields struct {
	b     []byte
	short bool
}

func (p *plainFields) number() uint64 {
	v, ok := takeBig(&p.b, 0)
	p.short = p.short || !ok
	return v.Uint64()
}

func (p *plainFields) byte() byte {
	if p.short = p.short || len(p.b) == 0; p.short {
		return 0
	}
	c := p.b[0]
	p.b = p.b[1:]
	return c
}

// record reads the fields of a record, and its frames as text.
func (p *plainFields) record(r *async.Record, widths map[byte]int) (start int, frames string) {
	switch r.ID {
	case 1, 11:
		r.Parent, r.Dispatcher = p.number(), p.number()
	case 2, 12:
		r.Dispatcher = p.number()
	case 5, 15:
		r.Unwound = p.number()
	case 23:
		r.Clock, r.UTC = p.number(), p.number()
	case 22:
		for range 4 {
			p.number()
		}
		p.byte()
		next := map[byte]int{}
		for range p.byte() {
			id, _, width := p.byte(), p.byte(), p.byte()
			delete(next, id)
			if width <= 2 {
				next[id] = int(width)
			}
		}
		if !p.short {
			clear(widths)
			for id, width := range next {
				widths[id] = width
			}
		}
	case 6, 7, 8, 16, 19:
		p.byte()
		start = int(p.byte())
		n := p.byte()
		if r.ID == 6 {
			r.Parent = p.number()
		}
		r.Dispatcher = p.number()
		frames = p.frames(int(n), r.ID >= 16)
	}
	return start, frames
}

// frames reads n frames as text.
func (p *plainFields) frames(n int, states bool) (text string) {
	address := uint64(0)
	for i := range n {
		if v := p.number(); i == 0 {
			address = v
		} else {
			address += v>>1 ^ -(v & 1)
		}
		state := int64(0)
		if states {
			v := p.number()
			state = int64(v>>1) ^ -int64(v&1)
			p.short = p.short || int64(int32(state)) != state
		}
		p.short = p.short || address == 1<<64-1 // the package refuses it
		text += fmt.Sprintf(" %x:%d", address, state)
	}
	return text
}

// takeBig reads a number of at most ten bytes after some others.
func takeBig(b *[]byte, after int) (*big.Int, bool) {
	v := new(big.Int)
	for i, c := range (*b)[min(after, len(*b)):] {
		v.Or(v, new(big.Int).Lsh(big.NewInt(int64(c&127)), uint(7*i)))
		if c < 128 && i < 10 && v.IsUint64() {
			*b = (*b)[after+i+1:]
			return v, true
		}
		if c < 128 || i == 9 {
			break
		}
	}
	return new(big.Int), false
}
