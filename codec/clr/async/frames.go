package async

import (
	"math"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// MaxFrames is the number of frames that the runtime keeps of a longer call stack.
const MaxFrames = 255

// Frame is one suspended method of a chain.
type Frame struct {
	// Address of a runtime-async method is where it goes on, 0 for a frame of the
	// runtime's own, which has no name. That of a state machine is the start of a
	// compiled body of MoveNext, not always of the one that runs: compare methods,
	// not addresses.
	Address uint64
	// State of a state machine is the number of the await at which it waits.
	State int32
}

// Frames are the frames of a call stack, that which goes on first at the front. The
// value is valid as long as the event's payload.
type Frames struct {
	b       []byte
	left    uint8
	start   uint8
	states  bool
	address uint64
}

// Len returns the number of frames that Next still returns.
func (f *Frames) Len() int { return int(f.left) }

// FirstWrapper returns the number of the wrapper that the first frame runs in.
func (f *Frames) FirstWrapper() int { return int(f.start) }

// Encoded returns the bytes of the frames. Call stacks with equal bytes and equal kinds
// of methods have equal frames.
func (f *Frames) Encoded() []byte { return f.b }

// Next returns the next frame, and false after the last one.
func (f *Frames) Next() (Frame, bool) {
	if f.left == 0 {
		return Frame{}, false
	}
	frame, at, ok := f.read(0)
	if !ok { // the Reader has checked it
		f.left = 0
		return Frame{}, false
	}
	f.b, f.address = f.b[at:], frame.Address
	f.left--
	return frame, true
}

// read reads the frame at a position. The bytes of the first address are those of a
// difference to 0, but for the sign.
func (f *Frames) read(at int) (Frame, int, bool) {
	v, at := wire.VarUint64(f.b, at)
	if at < 0 {
		return Frame{}, at, false
	}
	frame := Frame{Address: v}
	if f.address != noAddress {
		frame.Address = f.address + uint64(int64(v>>1)^-int64(v&1))
	}
	if f.states {
		state, next := wire.VarInt64(f.b, at)
		if at = next; at < 0 || state != int64(int32(state)) {
			return Frame{}, at, false
		}
		frame.State = int32(state)
	}
	return frame, at, true
}

// noAddress is Frames.address before the first frame. A frame with this address would
// make the next one absolute: the Reader refuses it.
const noAddress = math.MaxUint64

// check finds the end of the frames, and reports whether all of them are there.
func (f *Frames) check() bool {
	at := 0
	for range f.left {
		frame, next, ok := f.read(at)
		if !ok || frame.Address == noAddress {
			return false
		}
		f.address, at = frame.Address, next
	}
	f.address, f.b = noAddress, f.b[:at:at]
	return true
}
