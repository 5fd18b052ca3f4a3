package gen

import (
	"encoding/binary"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Providers of the events that record-trace makes itself.
const (
	universalEvents = clr.UniversalEventsProvider
	universalSystem = clr.UniversalSystemProvider
)

// collector is record-trace at work.
type collector struct {
	*run
	cpu, cswitch, process, exit, mapping, symbol, details *kind

	processes []uint64
	rows      int   // bytes of the region so far
	end       int64 // event number at which to stop
}

// oneCollectSetup makes the Trace block of record-trace: no process, and Monday
// is day 0 of the week.
func oneCollectSetup(r *run) {
	le, h := binary.LittleEndian, &r.head
	h.Properties = h.Properties[1:]
	b := wire.AppendSystemTime(nil, h.SyncTime)
	le.PutUint16(b[4:], uint16(h.SyncTime.Weekday()+6)%7)
	b = le.AppendUint64(le.AppendUint64(b, h.SyncTicks), h.TickFrequency)
	b = le.AppendUint32(le.AppendUint32(b, uint32(h.PointerSize)), uint32(len(h.Properties)))
	for _, kv := range h.Properties {
		b = wire.AppendString(wire.AppendString(b, kv.Key), kv.Value)
	}
	r.body = b
}

// oneCollect makes a trace as record-trace does: one metadata block, then a
// region for every mebibyte of rows.
func oneCollect(r *run) {
	c := &collector{run: r, end: r.order.Events}
	c.define()
	r.b.BlockSize = 0
	r.period = 0
	r.makeStacks(900)
	c.existing()
	for c.made < c.end {
		c.region()
	}
	r.b.Point(codec.SequencePoint{Timestamp: r.now, Flags: wire.SequenceThreads})
}

// define writes the metadata. Texts are declared as a single code unit.
func (c *collector) define() {
	field := func(code wire.TypeCode, names ...string) (list []codec.Field) {
		for _, name := range names {
			list = append(list, codec.Field{Name: name, Type: codec.Type{Code: code}})
		}
		return list
	}
	add := func(provider string, id uint32, name string, fields ...[]codec.Field) *kind {
		k := &kind{Metadata: codec.Metadata{Provider: provider, EventID: id, Name: name}}
		for _, list := range fields {
			k.Fields = append(k.Fields, list...)
		}
		k.id = c.b.Metadata(&k.Metadata)
		return k
	}
	value := field(wire.VarUInt, "Value")
	c.cpu = add(universalEvents, 1, "cpu", value)
	c.cswitch = add(universalEvents, 2, "cswitch", value)
	add(universalEvents, 3, "", value)
	process := [][]codec.Field{field(wire.VarUInt, "NamespaceId"), field(wire.UTF8CodeUnit, "Name", "NamespaceName")}
	c.process = add(universalSystem, 0, "ExistingProcess", process...)
	add(universalSystem, 1, "ProcessCreate", process...)
	c.exit = add(universalSystem, 2, "ProcessExit")
	c.mapping = add(universalSystem, 3, "ProcessMapping", field(wire.VarUInt, "Id", "StartAddress", "EndAddress", "FileOffset"),
		field(wire.UTF8CodeUnit, "FileName"), field(wire.VarUInt, "MetadataId"))
	c.symbol = add(universalSystem, 4, "ProcessSymbol", field(wire.VarUInt, "Id", "MappingId", "StartAddress", "EndAddress"),
		field(wire.UTF8CodeUnit, "Name"))
	c.details = add(universalSystem, 5, "ProcessMappingMetadata", field(wire.VarUInt, "Id"),
		field(wire.UTF8CodeUnit, "SymbolMetadata", "VersionMetadata"))
	c.b.Flush()
}

// counted appends a text with a length of 2 bytes.
func countedText(p []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint16(p, uint16(len(s))), s...)
}

// existing describes the processes and their mappings.
func (c *collector) existing() {
	c.now = c.head.SyncTicks
	c.open()
	for i := range uint64(4) {
		pid := c.between(100, 30_000)
		c.processes = append(c.processes, pid)
		c.own(c.process, pid, countedText(countedText(wire.AppendVarUint(nil, pid), "svc"+number(i)), "Unknown"))
		for j := range uint64(5) {
			id := 5*i + j
			c.own(c.details, pid, countedText(countedText(wire.AppendVarUint(nil, id+1), `{"type":"ELF","build_id":"`+c.words(4)+`"}`), ""))
			p := wire.AppendVarUint(nil, id)
			start := 0x7F3A_5C00_0000 + j<<24
			for _, v := range []uint64{start, start + 1<<24 - 1, 0} {
				p = wire.AppendVarUint(p, v)
			}
			p = wire.AppendVarUint(countedText(p, "/usr/lib/lib"+c.words(2)+".so"), id+1)
			c.own(c.mapping, pid, countedText(countedText(p, ""), "")) // two texts that are not declared
			c.symbols(pid, id, start)
		}
	}
	c.close()
}

// symbols describes some functions of a mapping.
func (c *collector) symbols(pid, mapping, start uint64) {
	for k := range uint64(3) {
		p := wire.AppendVarUint(wire.AppendVarUint(nil, 3*mapping+k), mapping)
		p = wire.AppendVarUint(wire.AppendVarUint(p, start+k<<12), start+k<<12+0xFFF)
		c.own(c.symbol, pid, countedText(p, c.words(3)))
	}
}

// open begins a region: with its first moment, the row of index 0, and a label
// list for events without labels.
func (c *collector) open() {
	c.b.Point(codec.SequencePoint{Timestamp: c.now, Flags: wire.SequenceThreads})
	c.b.bounds = &[2]uint64{c.now, 0}
	c.threads = c.threads[:0]
	c.rows = 0
	c.nextRegion()
	c.b.Thread(&codec.Thread{HasProcessID: true, HasThreadID: true})
	// The number of the second list is not in zig-zag form: 4 reads as 2.
	c.b.Labels(codec.Label{Kind: wire.LabelKeyString, Key: "Error", Value: "Expected actual values"})
	c.b.Labels(codec.Label{Kind: wire.LabelKeyString, Key: "route", Value: "/x"},
		codec.Label{Kind: wire.LabelKeyNumber, Key: "Version", Number: 2})
}

// close ends a region. Its last moment is the bound of its events.
func (c *collector) close() {
	c.b.bounds[1] = c.now
	c.b.Flush()
	c.b.bounds = nil
}

// region makes events until there is a mebibyte of rows.
func (c *collector) region() {
	c.open()
	defer c.close()
	for c.rows < 1<<20 && c.made < c.end {
		c.now += c.micros(100, 900)
		pid := c.processes[c.n(uint64(len(c.processes)))]
		k, value := c.cpu, uint64(1)
		if c.percent(20) {
			k, value = c.cswitch, c.n(uint64(2*time.Millisecond))
		}
		row := codec.EventRow{
			MetadataID: k.id, ThreadIndex: c.indexOf(pid, pid+c.n(3)), StackID: c.stack(c.someStack()),
			Processor: uint32(c.n(16)), LabelListID: 1 + uint32(c.n(20)/19), Payload: wire.AppendVarUint(c.payload[:0], value),
		}
		c.add(&row)
	}
}

// own adds an event of a process as such.
func (c *collector) own(k *kind, pid uint64, payload []byte) {
	c.add(&codec.EventRow{MetadataID: k.id, ThreadIndex: c.indexOf(pid, 0), Payload: payload})
}

// add adds an event: every field is written, and every row is sorted.
func (c *collector) add(row *codec.EventRow) {
	row.Timestamp, row.Sorted = c.now, true
	row.Written = wire.RowMetadataID | wire.RowSequence | wire.RowThread | wire.RowStackID | wire.RowLabelList | wire.RowPayloadSize
	c.b.Event(row)
	c.rows += 13 + len(row.Payload)
	c.made++
}

// indexOf is the thread row of a thread of a process in the region.
func (c *collector) indexOf(pid, tid uint64) uint64 {
	for i := range c.threads {
		if c.threads[i].osID == pid<<32|tid {
			return c.threads[i].index
		}
	}
	index := uint64(len(c.threads)) + 1
	c.threads = append(c.threads, runThread{osID: pid<<32 | tid, index: index})
	c.b.Thread(&codec.Thread{Index: index, ProcessID: pid, ThreadID: tid, HasProcessID: true, HasThreadID: true})
	return index
}
