package otlp

import (
	"encoding/binary"

	pb "github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
)

// dictionary builds the tables of a message. Its maps find an entry of a table; the
// functions of pprofile (SetString, SetStack) compare all entries each time. Entry 0 of
// each table is empty and means none.
type dictionary struct {
	out       pprofile.ProfilesDictionary
	texts     map[string]int32
	mappings  map[*pb.Mapping]int32
	functions map[*pb.Function]int32
	locations map[*pb.Location]int32
	stacks    map[string]int32 // by the indexes of their locations
	known     map[string]int32 // attributes by key: each has one value in a message
	key       []byte           // of stacks, used again
}

func newDictionary(out pprofile.ProfilesDictionary) *dictionary {
	out.MappingTable().AppendEmpty()
	out.LocationTable().AppendEmpty()
	out.FunctionTable().AppendEmpty()
	out.LinkTable().AppendEmpty()
	out.StringTable().Append("")
	out.AttributeTable().AppendEmpty()
	out.StackTable().AppendEmpty()
	return &dictionary{
		out: out, texts: map[string]int32{"": 0}, stacks: map[string]int32{"": 0}, known: map[string]int32{},
		mappings: map[*pb.Mapping]int32{nil: 0}, functions: map[*pb.Function]int32{nil: 0}, locations: map[*pb.Location]int32{},
	}
}

// text returns the index of a string.
func (d *dictionary) text(s string) int32 {
	s = valid(s)
	return find(d.texts, s, d.out.StringTable().Len(), func() { d.out.StringTable().Append(s) })
}

// find returns the index of a key, after it has added an entry that is not there.
// length is the number of entries before.
func find[K comparable](known map[K]int32, key K, length int, add func()) int32 {
	i, ok := known[key]
	if !ok {
		i = int32(length) // a pprof of the agent has far less entries than 1<<31
		known[key] = i
		add()
	}
	return i
}

// attribute returns the index of an attribute.
func (d *dictionary) attribute(key string, set func(pcommon.Value)) int32 {
	return find(d.known, key, d.out.AttributeTable().Len(), func() {
		a := d.out.AttributeTable().AppendEmpty()
		a.SetKeyStrindex(d.text(key))
		set(a.Value())
	})
}

// stack returns the index of a stack, the leaf first.
func (d *dictionary) stack(list []*pb.Location) int32 {
	d.key = d.key[:0]
	for _, l := range list {
		d.key = binary.LittleEndian.AppendUint32(d.key, uint32(d.location(l)))
	}
	if i, ok := d.stacks[string(d.key)]; ok {
		return i
	}
	return find(d.stacks, string(d.key), d.out.StackTable().Len(), func() {
		indexes := d.out.StackTable().AppendEmpty().LocationIndices()
		indexes.EnsureCapacity(len(list))
		for _, l := range list {
			indexes.Append(d.location(l))
		}
	})
}

func (d *dictionary) location(l *pb.Location) int32 {
	return find(d.locations, l, d.out.LocationTable().Len(), func() {
		out := d.out.LocationTable().AppendEmpty()
		out.SetAddress(l.Address)
		out.SetMappingIndex(d.mapping(l.Mapping))
		for _, line := range l.Line {
			o := out.Lines().AppendEmpty()
			o.SetFunctionIndex(d.function(line.Function))
			o.SetLine(line.Line)
			o.SetColumn(line.Column)
		}
	})
}

func (d *dictionary) function(f *pb.Function) int32 {
	return find(d.functions, f, d.out.FunctionTable().Len(), func() {
		out := d.out.FunctionTable().AppendEmpty()
		out.SetNameStrindex(d.text(f.Name))
		out.SetSystemNameStrindex(d.text(f.SystemName))
		out.SetFilenameStrindex(d.text(f.Filename))
		out.SetStartLine(f.StartLine)
	})
}

func (d *dictionary) mapping(m *pb.Mapping) int32 {
	return find(d.mappings, m, d.out.MappingTable().Len(), func() {
		out := d.out.MappingTable().AppendEmpty()
		out.SetMemoryStart(m.Start)
		out.SetMemoryLimit(m.Limit)
		out.SetFileOffset(m.Offset)
		out.SetFilenameStrindex(d.text(m.File))
	})
}
