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
	seen := map[string]bool{}
	for seed := range int64(1000) {
		trace := gen.Random(seed)
		for i := range trace.Blocks {
			meetBlock(seen, trace, &trace.Blocks[i])
		}
	}
	for _, feature := range wanted() {
		if !seen[feature] {
			t.Errorf("no %s; met: %v", feature, slices.Sorted(maps.Keys(seen)))
		}
	}
}

// wanted lists the features that must occur.
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
		for _, feature := range []string{
			"plain Event", "compressed Event", "extension Event", "extension Metadata", "point 0", "pointer 4", "pointer 8",
			"sorted", "unsorted", "stack", "empty stack", "kept field", "unknown processor", "other thread",
		} {
			list = append(list, version+" "+feature)
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

func meetBlock(seen map[string]bool, trace *gen.Trace, b *codec.BlockRows) {
	mark := func(is bool, format string, args ...any) {
		if is {
			seen[fmt.Sprintf("v%d ", trace.Format.Major)+fmt.Sprintf(format, args...)] = true
		}
	}
	mark(true, "%v", b.Kind)
	mark(!b.Kind.Known(), "unknown block")
	mark(b.Flags == 0, "plain %v", b.Kind)
	mark(b.Flags == 1, "compressed %v", b.Kind)
	mark(b.Extension != nil, "extension %v", b.Kind)
	if b.Kind == wire.KindSequencePoint {
		mark(true, "point %d", b.SequencePoint.Flags)
	}
	if b.Trace != nil {
		mark(true, "pointer %d", b.Trace.PointerSize)
		mark(len(b.Trace.Properties) > 3, "property")
	}
	for i := range b.Events {
		e := &b.Events[i]
		mark(e.Sorted, "sorted")
		mark(!e.Sorted, "unsorted")
		mark(e.Written != 0, "kept field")
		mark(e.Processor == wire.UnknownProcessor, "unknown processor")
		mark(e.ThreadIndex != e.CaptureThreadIndex, "other thread")
		mark(!e.Activity.IsZero(), "activity")
		mark(!e.Related.IsZero(), "related")
	}
	for _, s := range b.Stacks {
		mark(len(s.Addresses) > 0, "stack")
		mark(len(s.Addresses) == 0, "empty stack")
	}
	for _, list := range b.LabelLists {
		for _, l := range list.Labels {
			mark(true, "label %d", l.Kind)
		}
	}
	for _, row := range b.Threads {
		mark(row.Thread.Name != "", "thread name")
		mark(row.Thread.HasProcessID, "thread pid")
		mark(row.Thread.HasThreadID, "thread tid")
		mark(row.Thread.Attributes != nil, "thread pair")
	}
	for _, row := range b.Metadata {
		m := row.Metadata
		mark(m.OpcodeSet, "opcode")
		mark(m.V2Params, "V2Params")
		mark(m.Message != "", "message")
		mark(m.Description != "", "description")
		mark(m.Attributes != nil, "attribute")
		mark(!m.ProviderGUID.IsZero(), "provider guid")
		mark(m.Version != 0, "version")
		mark(m.Level != 0, "level")
		mark(m.Keywords != 0, "keywords")
		meetFields(mark, m.Fields)
	}
}

func meetFields(mark func(bool, string, ...any), fields []codec.Field) {
	for i := range fields {
		for t := &fields[i].Type; t != nil; t = t.Element {
			mark(true, "%v", t.Code)
			meetFields(mark, t.Fields)
		}
	}
}

// TestRandomRepeats: the same seed gives the same bytes, another seed others.
func TestRandomRepeats(t *testing.T) {
	one, two := gen.Random(1).Bytes(), gen.Random(2).Bytes()
	if !bytes.Equal(one, gen.Random(1).Bytes()) || bytes.Equal(one, two) {
		t.Error("the seed does not decide")
	}
	data := []byte("choose a trace by these bytes, please, and by no others")
	if !bytes.Equal(gen.FromBytes(data).Bytes(), gen.FromBytes(data).Bytes()) {
		t.Error("the bytes do not decide")
	}
}
