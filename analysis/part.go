package analysis

import (
	"context"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/model"
	sources "github.com/nettrace-go/nettrace/symbols"
)

// A Part makes the reports of one part from the events of a trace. A Part is for
// one trace and one goroutine.
type Part interface {
	// Name returns the name of the part, as in "nettrace report NAME".
	Name() string
	model.Consumer
	// Reports returns the report for each process, in the order of their ids. It
	// is called after the last event. If the trace has no events of the part, it
	// returns one report that only has NotRecorded.
	Reports(t *Trace) []Report
}

// These are the types of package model that parts use.
type (
	Trace      = model.Trace      // what the parts share
	Thread     = model.Thread     // a thread in a trace
	StackID    = model.StackID    // a stack of a Trace
	Loss       = model.Loss       // events that the writer dropped
	LeftOut    = model.LeftOut    // what is left out because of Limits
	Limits     = model.Limits     // of the memory
	Handler    = model.Handler    // handles one event
	Chunks     = model.Chunks     // a file that several goroutines read
	Divisible  = model.Divisible  // made by several goroutines
	Condensing = model.Condensing // condensed by several goroutines
	Condenser  = model.Condenser  // of a Condensing
	Log        = model.Log        // of a Condenser
	Interval   = model.Interval   // a time
	PanicError = model.PanicError // a panic in a goroutine that reads
)

// Options configure Read.
type Options struct {
	// Parts are the parts that get the events.
	Parts []Part
	// Limits bounds the memory.
	Limits Limits
	// Lines, if set, finds the source lines of the methods that rows name. It must not be used by
	// others until the reports are made.
	Lines *sources.Resolver
}

// ofModel returns the options of package model.
func (o *Options) ofModel() model.Options {
	consumers := make([]model.Consumer, len(o.Parts))
	for i, p := range o.Parts {
		consumers[i] = p
	}
	return model.Options{Consumers: consumers, Limits: o.Limits, Lines: o.Lines}
}

// Read reads a trace for parts, as model.Read does.
func Read(ctx context.Context, r *codec.Reader, opt Options) (*Trace, error) {
	return model.Read(ctx, r, opt.ofModel())
}

// ReadChunks is Read for a file that several goroutines read, as model.ReadChunks
// does.
func ReadChunks(ctx context.Context, c Chunks, opt Options) (*Trace, *codec.ChunkJoin, error) {
	return model.ReadChunks(ctx, c, opt.ofModel())
}

// LargeLimits returns limits for a program in which a user waits for the result: about
// 10 times the defaults.
func LargeLimits() Limits { return model.LargeLimits() }

// Names returns the names of frames, leaf first.
func Names(frames []symbols.Frame) []string { return model.Names(frames) }
