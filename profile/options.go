package profile

import (
	"fmt"
	"math"

	"github.com/nettrace-go/nettrace/codec"
)

// Options of a Profile. The zero value is right for most programs.
type Options struct {
	// NoRepair leaves stacks that the runtime cut as they were recorded.
	NoRepair bool
	// FoldRecursion shows a run of frames that repeats itself once.
	FoldRecursion bool
	// Types, when set, are the only ones that are kept. Default: all.
	Types []Type
	// Threads, when set, are the only ones whose samples are given, by the
	// operating system's id. Repair learns from all.
	Threads []uint64
	// Processes, when set, are the only ones whose samples are given, by the
	// operating system's ID. Samples of processes without an ID are then left out.
	// Repair learns from all.
	Processes []IDRange
	// Time selects the samples and marks that are returned. A duration counts with
	// its part inside of Time, a sample without a duration when it is inside.
	// Repair learns from all samples. The zero value selects all.
	Time codec.TimeRange
	// Provider, when set, makes samples of type Event of the events with a stack
	// of this provider; with HasEvent of those with this id only.
	Provider string
	Event    uint32
	HasEvent bool
	// Select, when set, makes samples of type Event of those events with a stack
	// for which it returns true. It must not keep the event.
	Select func(*codec.Event) bool
	// Marks keeps the events of event sources as marks and spans for a timeline
	// (Profile.Marks). Default: off.
	Marks bool
	// Limits bounds what the Profile holds.
	Limits Limits
}

// Limits bounds what a trace can make a Profile hold. In each field 0 stands for
// the default and -1 for no limit. What exceeds one ends the reading with a
// *LimitError.
type Limits struct {
	Samples int64 // samples, marks and rounds of the sampler, 24 to 112 bytes each, and 16 for each time in which a thread was not sampled. Default 400,000
	Frames  int64 // frames of the distinct stacks, 4 bytes each, and of what repair adds. Default 2,000,000
	Stacks  int64 // distinct stacks and addresses, about 32 bytes each. Default 200,000
	Threads int64 // threads. Default 20,000
	Text    int64 // bytes of names, messages and labels. Default 4 MiB
	Symbols int64 // bytes of methods and modules. Default 16 MiB
	// Repair is how often repair compares two stacks. Default 50,000,000, about a
	// second. It fails nothing: what is left then stays cut.
	Repair int64
}

// LimitError says which of the Limits a trace exceeds.
type LimitError struct {
	What  string // the field of Limits
	Limit int64
}

// Error names the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("profile: limit %s = %d exceeded", e.What, e.Limit)
}

// withDefaults replaces 0 by the default and negative numbers by no limit.
func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		value *int64
		def   int64
	}{
		{&l.Samples, 400_000}, {&l.Frames, 2_000_000}, {&l.Stacks, 200_000}, {&l.Threads, 20_000},
		{&l.Text, 4 << 20}, {&l.Symbols, 16 << 20}, {&l.Repair, 50_000_000},
	} {
		switch {
		case *f.value == 0:
			*f.value = f.def
		case *f.value < 0:
			*f.value = math.MaxInt64
		}
	}
	return l
}
