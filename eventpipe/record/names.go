package record

import (
	"bytes"
	"encoding/binary"
	"io"
	"iter"
	"sync"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// defaultNamesSize bounds Names without a size.
const defaultNamesSize = 64 << 20

// Names keeps in memory what names the methods of one process: it reads streams
// of other sessions of the process, and [Names.All] returns the events for the
// end of a recording. A process that is killed sends no rundown at the end, so
// Names must have read before. One Names can serve several recordings of the
// process, one after another.
//
// Names writes all methods, modules and assemblies as events of the rundown
// (MethodDCEndVerbose and others), also those that it knows from their load
// events: a load at the end of the recording would be a wrong time. Entry points
// of code that was compiled ahead of time (R2RGetEntryPoint) stay such events.
//
// Several goroutines may call its methods. Use NewNames to create one.
type Names struct {
	limit int64

	mu    sync.Mutex
	types map[namingType]*codec.Metadata // of the written events
	rows  []namingRow
	store packedStore             // has the payloads of rows
	stale int64                   // bytes of the payloads of replaced rows
	index [classCount]numberIndex // of rows, by the number of their subject
	stats NamesStats
	given packed // the payload in keep
}

// NamesStats are the counts of Names.
type NamesStats struct {
	Events  int64 // number of events that All returns
	Bytes   int64 // size of their payloads
	Dropped int64 // events that were left out because Names is full
	// Replaced is the number of methods whose memory was used again for another
	// method. Names keeps the newer one: older samples have its name.
	Replaced int64
}

// NamesReport is the result of Names.Read.
type NamesReport struct {
	Bytes  int64 // read
	Events int64 // that name something
	Ended  bool  // the stream had an end mark
}

// NewNames returns an empty Names that keeps payloads of at most size bytes; 0
// means 64 MiB. When it is full it keeps what it has, and counts what it leaves
// out.
func NewNames(size int64) *Names {
	if size <= 0 {
		size = defaultNamesSize
	}
	return &Names{limit: size, types: map[namingType]*codec.Metadata{}}
}

// class is a set of events whose keys are unique.
type class uint8

const (
	classMethod class = iota
	classEntry
	classModule
	classDomainModule
	classAssembly
	classRuntime
	classProcess

	classCount
)

// namingEvent says how an event is kept. key is the position of the 8 bytes that
// identify its subject, from the end of the payload if it is negative; noKey
// allows one event.
type namingEvent struct {
	as    clr.Kind
	class class
	key   int
}

const (
	methodStart = 16  // after MethodID and ModuleID
	entryPoint  = -10 // before ClrInstanceID
	noKey       = 1 << 10
)

// namingEvents are the events that Names keeps, and the events as which it
// writes them: those have the same fields.
var namingEvents = map[clr.Kind]namingEvent{
	clr.KindMethodLoad:                {clr.KindMethodDCEnd, classMethod, methodStart},
	clr.KindMethodLoadVerbose:         {clr.KindMethodDCEndVerbose, classMethod, methodStart},
	clr.KindMethodUnloadVerbose:       {clr.KindMethodDCEndVerbose, classMethod, methodStart},
	clr.KindDomainModuleLoad:          {clr.KindDomainModuleDCEnd, classDomainModule, 0},
	clr.KindModuleLoad:                {clr.KindModuleDCEnd, classModule, 0},
	clr.KindAssemblyLoad:              {clr.KindAssemblyDCEnd, classAssembly, 0},
	clr.KindR2RGetEntryPoint:          {clr.KindR2RGetEntryPoint, classEntry, entryPoint},
	clr.KindMethodDCEnd:               {clr.KindMethodDCEnd, classMethod, methodStart},
	clr.KindMethodDCEndVerbose:        {clr.KindMethodDCEndVerbose, classMethod, methodStart},
	clr.KindDomainModuleDCEnd:         {clr.KindDomainModuleDCEnd, classDomainModule, 0},
	clr.KindModuleDCEnd:               {clr.KindModuleDCEnd, classModule, 0},
	clr.KindAssemblyDCEnd:             {clr.KindAssemblyDCEnd, classAssembly, 0},
	clr.KindRuntimeInformationDCStart: {clr.KindRuntimeInformationDCStart, classRuntime, noKey},
	clr.KindProcessInfo:               {clr.KindProcessInfo, classProcess, noKey},
}

// namingType is a type of event in a stream.
type namingType struct {
	kind    clr.Kind
	version uint32
}

// namingRow is an event that is kept. Replaced ones have no metadata.
type namingRow struct {
	metadata *codec.Metadata
	at       int // of its payload in the store
}

// keptEvent is an event that is kept, with its payload.
type keptEvent struct {
	metadata *codec.Metadata
	content  packed
}

// additions returns the events as additions.
func additions(list []keptEvent) iter.Seq[Addition] {
	return func(yield func(Addition) bool) {
		for _, e := range list {
			if !yield(Addition{Metadata: e.metadata, Payload: e.content.appendPayload(nil)}) {
				return
			}
		}
	}
}

// Read reads the stream of a session to its end and keeps what names something.
// It reads to the end even if Names is full, because a runtime whose client
// stops reading blocks the threads of its process. The error is that of the
// source, or a *codec.Error for a malformed stream; what came before is kept. Read
// does not read on after the malformed place: close the session then, or read it to
// its end.
func (n *Names) Read(src io.Reader) (NamesReport, error) {
	counted := &counter{src: src}
	opt := readKept
	opt.NoStacks = true
	r := codec.NewBlockReader(counted, opt)
	var report NamesReport
	kinds := map[uint32]*namingType{}
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			kind, known := kinds[e.MetadataID]
			if !known {
				kind = typeOf(e.Metadata())
				kinds[e.MetadataID] = kind
			}
			if kind != nil && n.keep(kind, e) {
				report.Events++
			}
		}
	}
	err := r.Err()
	report.Ended = err == nil
	if err == nil {
		_, err = io.Copy(io.Discard, counted) // after the end mark
	}
	report.Bytes = counted.n
	return report, err
}

// typeOf returns nil for a type of event that names nothing.
func typeOf(m *codec.Metadata) *namingType {
	if m == nil {
		return nil
	}
	kind := clr.KindOf(m)
	if _, names := namingEvents[kind]; !names {
		return nil
	}
	return &namingType{kind, m.Version}
}

// keep keeps an event, and reports whether it could.
func (n *Names) keep(t *namingType, e *codec.Event) bool {
	how, payload := namingEvents[t.kind], e.Payload()
	id, ok := how.id(payload)
	if !ok {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.given = appendPacked(n.given[:0], payload)
	index := &n.index[how.class]
	at, known := index.find(id)
	size := int64(len(payload))
	switch {
	// MethodUnloadVerbose ends a method. Names keeps it if it did not know the
	// method, and otherwise ignores it: samples before the end have the method.
	case known && t.kind == clr.KindMethodUnloadVerbose, known && bytes.HasPrefix(n.content(at), n.given):
		return true
	case known:
		size -= int64(n.content(at).size())
	}
	if n.stats.Bytes+size > n.limit {
		n.stats.Dropped++
		return false
	}
	if known {
		n.replace(how.class, at, payload)
	}
	n.stats.Bytes += size
	n.stats.Events++
	index.set(id, len(n.rows))
	n.rows = append(n.rows, namingRow{n.metadata(*t, how.as, e.Metadata()), n.store.add(n.given)})
	return true
}

// content returns the payload of a row, and what comes after it in the store.
func (n *Names) content(row int) packed { return n.store.at(n.rows[row].at) }

// replace removes a row for a newer one with the same key.
func (n *Names) replace(c class, at int, payload []byte) {
	old := n.content(at)
	if c == classMethod && !bytes.Equal(old.appendPayload(nil)[:8], payload[:8]) { // MethodID
		n.stats.Replaced++
	}
	n.rows[at] = namingRow{}
	n.stats.Events--
	n.stale += int64(old.size())
	const manyRows, manyBytes = 1 << 12, 1 << 20
	if int64(len(n.rows)) > 2*n.stats.Events+manyRows || n.stale > n.stats.Bytes+manyBytes {
		n.compact()
	}
}

// compact removes the replaced rows.
func (n *Names) compact() {
	moved := make([]int, len(n.rows))
	kept, store := n.rows[:0:0], packedStore{}
	for i, row := range n.rows {
		if moved[i] = len(kept); row.metadata != nil {
			kept = append(kept, namingRow{row.metadata, store.add(n.content(i).alone())})
		}
	}
	for c := range n.index {
		n.index[c].move(moved)
	}
	n.rows, n.store, n.stale = kept, store, 0
}

// id is the identity of the subject of an event.
func (how *namingEvent) id(payload []byte) (uint64, bool) {
	at := how.key
	switch {
	case at == noKey:
		return 0, true
	case at < 0:
		at += len(payload)
	}
	if at < 0 || at+8 > len(payload) {
		return 0, false
	}
	return binary.LittleEndian.Uint64(payload[at:]), true
}

// metadata returns the description of the events as which a type is written.
func (n *Names) metadata(t namingType, as clr.Kind, read *codec.Metadata) *codec.Metadata {
	t.kind = as
	if m := n.types[t]; m != nil {
		return m
	}
	m := &codec.Metadata{
		Provider: as.Provider(), EventID: as.ID(), Version: t.version, Keywords: read.Keywords, Level: read.Level,
		Name: read.Name, Fields: read.Fields,
	}
	n.types[t] = m
	return m
}

// Stats returns the current counts.
func (n *Names) Stats() NamesStats {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.stats
}

// All returns the events to write at the end of a recording, the oldest first.
// Events that Names reads meanwhile are not among them.
func (n *Names) All() iter.Seq[Addition] {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := make([]keptEvent, 0, n.stats.Events)
	for i, row := range n.rows {
		if row.metadata != nil {
			list = append(list, keptEvent{row.metadata, n.content(i)})
		}
	}
	return additions(list)
}

// counter counts the bytes that are read.
type counter struct {
	src io.Reader
	n   int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n += int64(n)
	return n, err
}
