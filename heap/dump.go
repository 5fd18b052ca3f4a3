package heap

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrNoDump is the error of a stream without the dump that was asked for. The cause is
// a *NoDumpError.
var ErrNoDump = errors.New("heap: no heap dump")

// ErrIncomplete is the error of a dump of which data was lost. The cause is an
// *IncompleteError.
var ErrIncomplete = errors.New("heap: the dump is incomplete")

// Dump describes a heap dump of a stream.
type Dump struct {
	// Process is the id of the process, 0 if the stream does not have it.
	Process uint64
	// CommandLine is that of the process, "" if the stream does not have it.
	CommandLine string
	// Collection is the number of the collection, 0 if its GCStart and GCEnd are missing.
	Collection uint32
	// Begin is the time of GCStart, or of the first event of the dump.
	Begin time.Time
	// Duration is the time from Begin to GCEnd, or to the last event of the dump.
	Duration time.Duration
	// Ended reports whether the dump has its GCEnd.
	Ended bool

	Objects   int64  // rows of GCBulkNode
	Bytes     uint64 // sum of the sizes of the objects
	Edges     int64  // rows of GCBulkEdge
	Roots     int64  // rows of GCBulkRootEdge, those without an object too
	WeakEdges int64  // rows of GCBulkRootConditionalWeakTableElementEdge
	Statics   int64  // rows of GCBulkRootStaticVar
	Types     int64  // rows of BulkType of the process in the stream, repeated ones too

	Declared  uint64 // sum of the numbers of references of all objects; equals Edges if nothing was lost
	Gaps      []Gap  // events that are missing, by kind
	Dropped   uint64 // events that the runtime dropped during the dump, by their sequence numbers
	Malformed int64  // events that are truncated or out of order
	Repeated  int64  // objects at the address of another one; only known for the dump that was read
}

// Gap has the missing events of a kind, according to their field Index.
type Gap struct {
	Event string // name of the event
	Index uint32 // of the first missing event
	Count int64  // of missing events
}

// Complete reports whether no data of the dump was lost.
func (d *Dump) Complete() bool {
	return d.Ended && len(d.Gaps) == 0 && d.Declared == uint64(d.Edges) && d.Dropped == 0 && d.Malformed == 0 && d.Repeated == 0
}

// rows returns the number of rows that are objects, references and roots.
func (d *Dump) rows() int64 { return d.Objects + d.Edges + d.Roots + d.WeakEdges + d.Statics }

// addDeclared adds a number of references to the sum, which does not overflow.
func (d *Dump) addDeclared(n uint64) {
	if d.Declared += n; d.Declared < n {
		d.Declared = math.MaxUint64
	}
}

// addBytes adds a size to the sum, which does not overflow.
func (d *Dump) addBytes(n uint64) {
	if d.Bytes += n; d.Bytes < n {
		d.Bytes = math.MaxUint64
	}
}

// NoDumpError reports a stream without the dump that was asked for. It matches
// ErrNoDump.
type NoDumpError struct {
	// Collection is that of Options.
	Collection uint32
	// Dumps are the dumps of the stream: those of other collections.
	Dumps []Dump
}

// Error has the collections of the dumps.
func (e *NoDumpError) Error() string {
	if len(e.Dumps) == 0 {
		return ErrNoDump.Error()
	}
	var list []string
	for i := range e.Dumps {
		list = append(list, strconv.FormatUint(uint64(e.Dumps[i].Collection), 10))
	}
	return fmt.Sprintf("%v of collection %d: the stream has dumps of the collections %s", ErrNoDump, e.Collection, strings.Join(list, ", "))
}

// Unwrap returns ErrNoDump.
func (e *NoDumpError) Unwrap() error { return ErrNoDump }

// IncompleteError reports a dump of which data was lost. It matches ErrIncomplete.
type IncompleteError struct {
	// Dump has the numbers.
	Dump Dump
}

// Error has the numbers of what is missing.
func (e *IncompleteError) Error() string {
	return fmt.Sprintf("heap: the dump of collection %d is incomplete: %s", e.Dump.Collection, strings.Join(e.Dump.losses(), "; "))
}

// Unwrap returns ErrIncomplete.
func (e *IncompleteError) Unwrap() error { return ErrIncomplete }

// losses lists what is missing.
func (d *Dump) losses() (list []string) {
	add := func(lost bool, format string, args ...any) {
		if lost {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	for _, g := range d.Gaps {
		add(true, "events %s missing: %d from index %d on", g.Event, g.Count, g.Index)
	}
	add(d.Declared != uint64(d.Edges), "the objects have %d references, the events %d", d.Declared, d.Edges)
	add(d.Dropped > 0, "events dropped by the runtime: %d", d.Dropped)
	add(d.Malformed > 0, "events truncated or out of order: %d", d.Malformed)
	add(d.Repeated > 0, "objects at the address of another object: %d", d.Repeated)
	add(!d.Ended, "no GCEnd")
	return list
}
