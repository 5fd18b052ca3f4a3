package gen_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

// TestRandomCovers: random traces have everything that the format has.
func TestRandomCovers(t *testing.T) {
	met := map[string]bool{}
	for seed := range int64(1000) {
		trace := gen.Random(seed)
		for i := range trace.Blocks {
			meetBlock(met, trace, &trace.Blocks[i])
		}
	}
	for _, thing := range wanted() {
		if !met[thing] {
			t.Errorf("no %s; met: %v", thing, slices.Sorted(maps.Keys(met)))
		}
	}
}

// wanted lists what must occur.
func wanted() []string {
	var list []string
	for code := wire.Object; code <= wire.Boolean8; code++ {
		switch {
		case !code.InStream():
		case code == wire.Decimal:
			list = append(list, "v4 "+code.String(), "v5 "+code.String())
		case code == wire.Array:
			list = append(list, "v5 "+code.String(), "v6 "+code.String())
		case code < wire.VarInt:
			list = append(list, "v4 "+code.String(), "v5 "+code.String(), "v6 "+code.String())
		default:
			list = append(list, "v6 "+code.String())
		}
	}
	for _, version := range []string{"v4", "v5", "v6"} {
		for _, thing := range []string{
			"plain Event", "compressed Event", "extension Event", "extension Metadata", "point 0", "pointer 4", "pointer 8",
			"sorted", "unsorted", "stack", "empty stack", "kept field", "unknown processor", "other thread",
		} {
			list = append(list, version+" "+thing)
		}
	}
	for kind := wire.LabelActivityID; kind <= wire.LabelVersion; kind++ {
		list = append(list, fmt.Sprintf("v6 label %d", kind))
	}
	return append(list, "v4 activity", "v4 related", "v4 plain Metadata", "v5 opcode", "v5 V2Params",
		"v6 opcode", "v6 message", "v6 description", "v6 attribute", "v6 provider guid", "v6 version", "v6 level", "v6 keywords",
		"v6 thread name", "v6 thread pid", "v6 thread tid", "v6 thread pair", "v6 point 1", "v6 point 2", "v6 point 3",
		"v6 RemoveThread", "v6 unknown block", "v6 property")
}

func meetBlock(met map[string]bool, trace *gen.Trace, b *codec.BlockRows) {
	meet := func(is bool, format string, args ...any) {
		if is {
			met[fmt.Sprintf("v%d ", trace.Format.Major)+fmt.Sprintf(format, args...)] = true
		}
	}
	meet(true, "%v", b.Kind)
	meet(!b.Kind.Known(), "unknown block")
	meet(b.Flags == 0, "plain %v", b.Kind)
	meet(b.Flags == 1, "compressed %v", b.Kind)
	meet(b.Extension != nil, "extension %v", b.Kind)
	if b.Kind == wire.KindSequencePoint {
		meet(true, "point %d", b.SequencePoint.Flags)
	}
	if b.Trace != nil {
		meet(true, "pointer %d", b.Trace.PointerSize)
		meet(len(b.Trace.Properties) > 3, "property")
	}
	for i := range b.Events {
		e := &b.Events[i]
		meet(e.Sorted, "sorted")
		meet(!e.Sorted, "unsorted")
		meet(e.Written != 0, "kept field")
		meet(e.Processor == wire.UnknownProcessor, "unknown processor")
		meet(e.ThreadIndex != e.CaptureThreadIndex, "other thread")
		meet(!e.Activity.IsZero(), "activity")
		meet(!e.Related.IsZero(), "related")
	}
	for _, s := range b.Stacks {
		meet(len(s.Addresses) > 0, "stack")
		meet(len(s.Addresses) == 0, "empty stack")
	}
	for _, list := range b.LabelLists {
		for _, l := range list.Labels {
			meet(true, "label %d", l.Kind)
		}
	}
	for _, row := range b.Threads {
		meet(row.Thread.Name != "", "thread name")
		meet(row.Thread.HasProcessID, "thread pid")
		meet(row.Thread.HasThreadID, "thread tid")
		meet(row.Thread.Attributes != nil, "thread pair")
	}
	for _, row := range b.Metadata {
		m := row.Metadata
		meet(m.OpcodeSet, "opcode")
		meet(m.V2Params, "V2Params")
		meet(m.Message != "", "message")
		meet(m.Description != "", "description")
		meet(m.Attributes != nil, "attribute")
		meet(!m.ProviderGUID.IsZero(), "provider guid")
		meet(m.Version != 0, "version")
		meet(m.Level != 0, "level")
		meet(m.Keywords != 0, "keywords")
		meetFields(meet, m.Fields)
	}
}

func meetFields(meet func(bool, string, ...any), fields []codec.Field) {
	for i := range fields {
		for t := &fields[i].Type; t != nil; t = t.Element {
			meet(true, "%v", t.Code)
			meetFields(meet, t.Fields)
		}
	}
}

// TestRandomRepeats: the same seed gives the same bytes, another one others.
func TestRandomRepeats(t *testing.T) {
	one, two := gen.Random(1).Bytes(), gen.Random(2).Bytes()
	if !bytes.Equal(one, gen.Random(1).Bytes()) || bytes.Equal(one, two) {
		t.Error("the seed does not decide")
	}
	data := []byte("choose a trace by these bytes, please, and by no others")
	if !bytes.Equal(gen.NewFromGoFuzz(data).Bytes(), gen.NewFromGoFuzz(data).Bytes()) {
		t.Error("the bytes do not decide")
	}
}
