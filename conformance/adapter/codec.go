package adapter

import (
	"errors"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// Reason is the fault for which a reader rejected a trace.
type Reason struct {
	// Rule is the broken rule.
	Rule rule.ID
	// Offset is the file offset of the fault.
	Offset int64
}

// Codec reads a trace with package codec, and rejects every fault that a reader
// must reject.
func Codec(trace []byte, out io.Writer) Exit {
	exit, _ := CodecReason(trace, out, codec.Limits{})
	return exit
}

// CodecReason reads a trace like Codec. If the exit is not Read, it also
// returns the reason. The zero limits are the default limits of package codec.
func CodecReason(trace []byte, out io.Writer, limits codec.Limits) (Exit, Reason) {
	p := printer{out: ndjson.NewWriter(out, ndjson.Options{Payload: true, Fields: true, Stacks: true, Rows: true})}
	p.in = codec.NewBytesBlockReader(trace, codec.Options{
		Schemas: clr.Schemas, Limits: limits, OnDefect: p.defect,
		OnLost: func(l codec.Lost) { p.lost = append(p.lost, l) },
	})
	p.print()
	err := p.in.Err()
	_ = p.out.End(errors.Is(err, codec.ErrTruncated))
	var fault *codec.Error
	switch {
	case p.fault != nil:
		return Rejected, Reason{p.fault.Rule, p.fault.Offset}
	case err == nil:
		return Read, Reason{}
	case !errors.As(err, &fault):
		return Rejected, Reason{}
	case errors.Is(err, codec.ErrVersion):
		return Unsupported, Reason{fault.Rule, fault.Offset}
	}
	return Rejected, Reason{fault.Rule, fault.Offset}
}

// printer prints a trace until something is wrong with it.
type printer struct {
	in    *codec.BlockReader
	out   *ndjson.Writer
	lost  []codec.Lost // not printed yet
	fault *codec.Error // a defect that is an error
}

// silent are rules that a reader under test need not check: an id that is defined
// twice, which the text does not explicitly forbid (the last definition counts),
// and the times in the header of an event block.
var silent = map[rule.ID]bool{rule.MD008: true, rule.THR004: true, rule.STK005: true, rule.LBL005: true, rule.EVB008: true}

// defect stores the first defect that is an error. Other defects are ignored.
func (p *printer) defect(e *codec.Error) {
	if p.fault == nil && e.Rule.Rule().Severity == rule.Error && !silent[e.Rule] {
		p.fault = e
	}
}

func (p *printer) print() {
	trace, err := p.in.Trace()
	if err != nil || p.fault != nil {
		return
	}
	_ = p.out.Trace(trace)
	for b, ok := p.in.Next(); ok && p.tell(); b, ok = p.in.Next() {
		if !p.block(b) {
			return
		}
	}
}

// block prints the rows and events of a block; false when one is at fault.
func (p *printer) block(b *codec.Block) bool {
	_ = p.out.Rows(b)
	for e, ok := p.in.NextEvent(); ok; e, ok = p.in.NextEvent() {
		if !p.tell() {
			return false
		}
		_ = p.out.Rows(b)
		_ = p.out.Event(e)
	}
	if !p.tell() {
		return false
	}
	_ = p.out.Rows(b)
	return true
}

// tell prints the losses before the next row. It returns false when that row is
// at fault.
func (p *printer) tell() bool {
	if p.fault != nil {
		return false
	}
	for _, l := range p.lost {
		_ = p.out.Lost(l)
	}
	p.lost = p.lost[:0]
	return true
}
