package edit_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// diffTrace is a stream of one event with all properties of its version.
type diffTrace struct {
	format   wire.Format
	trace    codec.Trace
	metadata codec.Metadata
	thread   codec.Thread
	labels   []codec.Label
	event    codec.EventRow
	points   []codec.SequencePoint
}

// diffTraceOf is one with everything that a version has a place for.
func diffTraceOf(format wire.Format) *diffTrace {
	t := &diffTrace{
		format: format,
		trace: codec.Trace{SyncTime: moment, TickFrequency: 1e9, PointerSize: 8, Properties: []codec.KeyValue{
			{Key: codec.ProcessIDKey, Value: "7"}, {Key: codec.HardwareThreadCountKey, Value: "2"}, {Key: codec.ExpectedCPUSamplingRateKey, Value: "1000"},
		}},
		metadata: codec.Metadata{ID: 1, Provider: "P", EventID: 1, Name: "E", Fields: []codec.Field{
			{Name: "n", Type: codec.Type{Code: wire.UInt32}},
			{Name: "o", Type: codec.Type{Code: wire.Object, Fields: []codec.Field{{Name: "x", Type: codec.Type{Code: wire.Int32}}}}},
		}},
		thread: codec.Thread{Index: 5, ProcessID: 7, HasProcessID: true, ThreadID: 5, HasThreadID: true},
		event:  codec.EventRow{MetadataID: 1, Sequence: 1, ThreadIndex: 5, CaptureThreadIndex: 5, Timestamp: 100, Payload: make([]byte, 8)},
		points: []codec.SequencePoint{{Timestamp: 100, Threads: []codec.ThreadSequence{{Thread: 5, Sequence: 1}}}},
	}
	if format.HasTraceProperties() {
		t.trace.Properties = append(t.trace.Properties, codec.KeyValue{Key: "k", Value: "v"})
		t.metadata.ProviderGUID, t.metadata.Message, t.metadata.Description = wire.GUID{1}, "message", "description"
		t.metadata.Attributes = []codec.KeyValue{{Key: "k", Value: "v"}}
		t.thread.Name, t.thread.Attributes = "main", []codec.KeyValue{{Key: "k", Value: "v"}}
		t.labels = []codec.Label{{Kind: wire.LabelKeyString, Key: "k", Value: "v"}}
		t.event.LabelListID = 1
	}
	return t
}

func (d *diffTrace) write(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := codec.NewBlockWriter(&b, codec.BlockWriterOptions{Format: d.format})
	blocks := []*codec.BlockRows{
		{Kind: wire.KindTrace, Trace: &d.trace},
		{Kind: wire.KindMetadata, Flags: wire.BlockCompressed, Metadata: []codec.MetadataBytes{{Metadata: &d.metadata}}},
	}
	if d.format.HasThreadTable() {
		blocks = append(blocks, &codec.BlockRows{Kind: wire.KindThread, Threads: []codec.ThreadBytes{{Thread: &d.thread}}},
			&codec.BlockRows{Kind: wire.KindLabelList, FirstID: 1, LabelLists: []codec.LabelListBytes{{Labels: d.labels}}})
	}
	blocks = append(blocks, &codec.BlockRows{Kind: wire.KindEvent, Flags: wire.BlockCompressed, Events: []codec.EventRow{d.event}, MinTimestamp: 100, MaxTimestamp: 100})
	for _, p := range d.points {
		blocks = append(blocks, &codec.BlockRows{Kind: wire.KindSequencePoint, SequencePoint: p})
	}
	for _, block := range blocks {
		if err := w.WriteBlock(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// diffNames are the names of the differences.
func diffNames(d *edit.Difference) []string {
	names := slices.Clone(d.Fields)
	for _, what := range d.Trace {
		name, _, _ := strings.Cut(what, ":")
		names = append(names, name)
	}
	return names
}

// TestDiffOne changes one thing in a stream: Diff names exactly that.
func TestDiffOne(t *testing.T) {
	for _, c := range []struct {
		name, want string
		major      uint32
		change     func(d *diffTrace)
	}{
		{"name of a field", "fields", 6, func(d *diffTrace) { d.metadata.Fields[0].Name = "m" }},
		{"type of a field", "fields", 6, func(d *diffTrace) { d.metadata.Fields[0].Type.Code = wire.Int32 }},
		{"name of a nested field", "fields", 6, func(d *diffTrace) { d.metadata.Fields[1].Type.Fields[0].Name = "y" }},
		{"type of a nested field", "fields", 6, func(d *diffTrace) { d.metadata.Fields[1].Type.Fields[0].Type.Code = wire.UInt32 }},
		{"no fields", "fields", 6, func(d *diffTrace) { d.metadata.Fields = nil }},
		{"name of a field of v4", "fields", 4, func(d *diffTrace) { d.metadata.Fields[0].Name = "m" }},
		{"GUID of the provider", "guid", 6, func(d *diffTrace) { d.metadata.ProviderGUID = wire.GUID{2} }},
		{"message", "message", 6, func(d *diffTrace) { d.metadata.Message = "" }},
		{"description", "description", 6, func(d *diffTrace) { d.metadata.Description = "x" }},
		{"key of an attribute", "attributes", 6, func(d *diffTrace) { d.metadata.Attributes[0].Key = "x" }},
		{"value of an attribute", "attributes", 6, func(d *diffTrace) { d.metadata.Attributes[0].Value = "x" }},
		{"name of a thread", "threadName", 6, func(d *diffTrace) { d.thread.Name = "x" }},
		{"attribute of a thread", "threadAttributes", 6, func(d *diffTrace) { d.thread.Attributes[0].Value = "x" }},
		{"no attribute of a thread", "threadAttributes", 6, func(d *diffTrace) { d.thread.Attributes = nil }},
		{"process of a thread", "process", 6, func(d *diffTrace) { d.thread.ProcessID = 8 }},
		{"value of a label", "labels", 6, func(d *diffTrace) { d.labels[0].Value = "x" }},
		{"key of a label", "labels", 6, func(d *diffTrace) { d.labels[0].Key = "x" }},
		{"property", "properties", 6, func(d *diffTrace) { d.trace.Properties[3].Value = "x" }},
		{"property of v4", "properties", 4, func(d *diffTrace) { d.trace.Properties[1].Value = "3" }},
		{"frequency", "clock", 6, func(d *diffTrace) { d.trace.TickFrequency++ }},
		{"size of a pointer", "clock", 6, func(d *diffTrace) { d.trace.PointerSize = 4 }},
		{"time of a sequence point", "sequencePoints", 6, func(d *diffTrace) { d.points[0].Timestamp++ }},
		{"flags of a sequence point", "sequencePoints", 6, func(d *diffTrace) { d.points[0].Flags = wire.SequenceMetadata }},
		{"no thread in a sequence point", "sequencePoints", 6, func(d *diffTrace) { d.points[0].Threads = nil }},
		{"no sequence point", "sequencePoints", 6, func(d *diffTrace) { d.points = nil }},
		{"another sequence point", "sequencePoints", 6, func(d *diffTrace) { d.points = append(d.points, d.points[0]) }},
		{"time of a sequence point of v4", "sequencePoints", 4, func(d *diffTrace) { d.points[0].Timestamp++ }},
		{"no thread in a sequence point of v4", "sequencePoints", 4, func(d *diffTrace) { d.points[0].Threads = nil }},
		{"number in a sequence point", "sequencePoints lost", 6, func(d *diffTrace) { d.points[0].Threads[0].Sequence = 3 }},
		{"a thread with number 0", "", 4, func(d *diffTrace) {
			d.points[0].Threads = append(d.points[0].Threads, codec.ThreadSequence{Thread: 9})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := diffTraceOf(wire.Format{Major: c.major})
			c.change(changed)
			a, b := diffTraceOf(wire.Format{Major: c.major}).write(t), changed.write(t)
			for i, pair := range [][2][]byte{{a, b}, {b, a}} {
				t.Run([]string{"forward", "backward"}[i], func(t *testing.T) {
					d := diff(t, pair[0], pair[1], edit.DiffOptions{})
					if got := strings.Join(diffNames(d), " "); got != c.want {
						t.Errorf("differences %q, want %q\n%v", got, c.want, d)
					}
					if len(d.NotCompared) > 0 {
						t.Errorf("not compared: %v", d.NotCompared)
					}
					if d := diff(t, pair[0], pair[1], edit.DiffOptions{Ignore: strings.Fields(c.want)}); !d.Equal() {
						t.Errorf("ignored: %v", d)
					}
				})
			}
		})
	}
}

// TestDiffVersions: a property that v4 cannot express is no difference to v6, but
// is counted. Properties of both versions are compared.
func TestDiffVersions(t *testing.T) {
	all := []string{
		"guid of events (v4 cannot express it): 1", "message of events (v4 cannot express it): 1",
		"description of events (v4 cannot express it): 1", "attributes of events (v4 cannot express it): 1",
		"threadName of events (v4 cannot express it): 1", "threadAttributes of events (v4 cannot express it): 1",
		"labels of events (v4 cannot express it): 1", "properties (v4 cannot express them): 1",
	}
	for _, c := range []struct {
		name, want string
		not        []string // not compared, besides all
		change     func(d *diffTrace)
	}{
		{"nothing", "", nil, func(*diffTrace) {}},
		{"field", "fields", nil, func(d *diffTrace) { d.metadata.Fields[0].Name = "x" }},
		{"field that v4 cannot describe", "", []string{"fields of events (v4 cannot express it): 1"}, func(d *diffTrace) {
			d.metadata.Fields = append(d.metadata.Fields, codec.Field{Name: "x", Type: codec.Type{Code: wire.VarUInt}})
		}},
		{"process that is not the trace's", "", []string{"process of events (v4 cannot express it): 1"}, func(d *diffTrace) { d.thread.ProcessID = 8 }},
		{"process", "process properties", nil, func(d *diffTrace) { d.thread.ProcessID, d.trace.Properties[0].Value = 8, "8" }},
		{"thread without an id", "", []string{
			"thread of events (v4 cannot express it): 1", "captureThread of events (v4 cannot express it): 1",
			"threads that one of two sequence points leaves out: 1",
		}, func(d *diffTrace) { d.thread.HasThreadID = false }},
		{"thread", "thread captureThread", []string{"threads that one of two sequence points leaves out: 2"}, func(d *diffTrace) { d.thread.ThreadID = 6 }},
		{"flags of a sequence point", "", []string{"flags of sequence points: 1"}, func(d *diffTrace) { d.points[0].Flags = wire.SequenceMetadata }},
		{"time of a sequence point", "sequencePoints", nil, func(d *diffTrace) { d.points[0].Timestamp++ }},
		{"number in a sequence point", "sequencePoints lost", nil, func(d *diffTrace) { d.points[0].Threads[0].Sequence = 3 }},
		{"thread that a sequence point leaves out", "", []string{"threads that one of two sequence points leaves out: 1"}, func(d *diffTrace) { d.points[0].Threads = nil }},
		{"property", "properties", nil, func(d *diffTrace) { d.trace.Properties[1].Value = "9" }},
		{"property that v6 need not have", "", []string{}, func(d *diffTrace) { d.trace.Properties = slices.Delete(d.trace.Properties, 1, 2) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := diffTraceOf(wire.V6)
			c.change(changed)
			a, b := diffTraceOf(wire.V4).write(t), changed.write(t)
			for i, pair := range [][2][]byte{{a, b}, {b, a}} {
				t.Run([]string{"forward", "backward"}[i], func(t *testing.T) {
					d := diff(t, pair[0], pair[1], edit.DiffOptions{})
					if got := strings.Join(diffNames(d), " "); got != c.want {
						t.Errorf("differences %q, want %q\n%v", got, c.want, d)
					}
					var not []string
					for _, n := range d.NotCompared {
						not = append(not, n.String())
					}
					want := slices.Sorted(slices.Values(slices.Concat(all, c.not)))
					if slices.Sort(not); !slices.Equal(not, want) {
						t.Errorf("not compared %q, want %q", not, want)
					}
				})
			}
		})
	}
}

// TestDiffConversions: a trace, its conversion to v6 and the conversion of that
// back are equal.
func TestDiffConversions(t *testing.T) {
	for _, name := range shared.Traces(t) {
		data := shared.Trace(t, name)
		if len(data) > less(4<<20, 1<<19) || !strings.Contains(name, ".v4") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			v6 := converted(t, data, 6)
			v4 := converted(t, v6, 5)
			for what, pair := range map[string][2][]byte{"v4 and v6": {data, v6}, "v6 and v4": {v6, v4}, "v4 and v4": {data, v4}} {
				t.Run(what, func(t *testing.T) {
					for _, byTime := range []bool{false, true} {
						if d := diff(t, pair[0], pair[1], edit.DiffOptions{ByTime: byTime}); !d.Equal() {
							t.Errorf("by time %v: %v", byTime, d)
						}
					}
				})
			}
		})
	}
}

func converted(t *testing.T, data []byte, major uint32) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := edit.Convert(context.Background(), &out, sliceBlocks(data), edit.ConvertOptions{Format: wire.Format{Major: major}}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
