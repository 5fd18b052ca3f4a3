package conformance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestStreamFacts tests properties that the expected results do not have and that
// the other decoder misreads.
func TestStreamFacts(t *testing.T) {
	thread := func(e *codec.Event) any { id, _ := e.ThreadID(); return id }
	process := func(e *codec.Event) any { id, _ := e.ProcessID(); return id }
	ticks := func(e *codec.Event) any { return e.Timestamp }
	stack := func(e *codec.Event) any { return len(e.Stack()) }
	for _, fact := range []struct {
		stream string
		of     func(*codec.Event) any
		want   string // of each event, between spaces
	}{
		{"probe-03b-v4-uncompressed-payload5-padded-eventsize-without-pad", func(e *codec.Event) any { return fmt.Sprintf("%x", e.Payload()) }, "a0a0a0a0a0 a1a1a1a1a1"},
		{"probe-03e-v4-uncompressed-metadata-blob-padded", func(e *codec.Event) any { return e.Name() }, "TestEvent1x TestEvent2"},
		{"probe-04a-v6-removethread-tid-equals-other-index", thread, "2 50"},
		{"probe-04c-v6-redeclare-index-after-remove-and-sequence-point", thread, "77 78"},
		{"probe-04d-v6-redeclare-index-after-remove-no-sequence-point", thread, "77 78"},
		{"probe-04e-v6-redeclare-index-equal-to-tid", thread, "1 1"},
		{"probe-08b-v6-absolute-over-int64-max", ticks, "9223372036854775824 9223372036854775829"},
		{"probe-08e-v6-two-threads-in-one-block-delta-wraps", ticks, "10000 10100 10050 10060"},
		{"probe-09d-v6-unknown-stack-id", stack, "0"},
		{"probe-09k-v6-stack-ref-across-sequence-point", stack, "0"},
		{"probe-09m-v6-label-list-index-0-defined", func(e *codec.Event) any { return len(e.Labels()) }, "0"},
		{"probe-13b-v3-related-activity-id", func(e *codec.Event) any { return e.Activity() }, "26f353d1-c0c8-45c1-a0cf-7c29eae6dc7f"},
		{"probe-13b-v3-related-activity-id", func(e *codec.Event) any { return e.RelatedActivity() }, "e1d6b9eb-84f8-4908-8fa7-fa63d5f02849"},
		{"probe-13c-v6-64bit-tid-pid-processor-300", thread, "4294967301"},
		{"probe-13c-v6-64bit-tid-pid-processor-300", process, "8589934599"},
		{"probe-13c-v6-64bit-tid-pid-processor-300", func(e *codec.Event) any { return e.Processor }, "300"},
		{"probe-13m-v6-second-trace-block", func(e *codec.Event) any { return e.Time().Format("15:04:05.000") }, "04:05:06.100"},
		{"pv-v6-sequence-point-can-flush-threads-on-demand", thread, "15"},
	} {
		t.Run(fact.stream, func(t *testing.T) {
			got := read(memory(shared.Stream(t, fact.stream)), codec.Options{})
			var words []string
			for _, e := range got.events {
				words = append(words, fmt.Sprint(fact.of(e)))
			}
			if strings.Join(words, " ") != fact.want {
				t.Errorf("%s, want %s", strings.Join(words, " "), fact.want)
			}
		})
	}
}

// TestLabelOrder: labels are in file order.
func TestLabelOrder(t *testing.T) {
	got := read(memory(shared.Stream(t, "pv-v6-parse-event-label-lists-true")), codec.Options{})
	var kinds []int
	for _, l := range got.events[0].Labels() {
		kinds = append(kinds, int(l.Kind))
	}
	if !slices.Equal(kinds, []int{5, 1, 2}) {
		t.Errorf("kinds %v", kinds)
	}
}

// TestStreamMetadata tests metadata without events.
func TestStreamMetadata(t *testing.T) {
	type row struct {
		id, level, version uint32
		opcode             uint8
		keywords           uint64
		guid               string
		texts, attributes  int // length of the texts, number of the attributes
		fields             string
	}
	for stream, want := range map[string][]row{
		"pv-parse-v6-optional-metadata": {{
			id: 15, level: 4, version: 22, opcode: 20, keywords: 0x00FF00FF00FF00FF,
			guid: "ca0a7b93-622d-42c9-aff8-7a09fda2e30c", texts: 46 + 22, attributes: 2, fields: "[]",
		}},
		"pv-skip-extra-metadata-space-v6": {
			{id: 15, guid: "00000000-0000-0000-0000-000000000000", texts: 5 + 0, fields: "[Param1 Int16 Param2 UInt32]"},
			{id: 16, guid: "00000000-0000-0000-0000-000000000000", fields: "[]"},
		},
	} {
		t.Run(stream, func(t *testing.T) {
			var got []row
			r := codec.NewBytesBlockReader(shared.Stream(t, stream), codec.Options{})
			for b, ok := r.Next(); ok; b, ok = r.Next() {
				for _, defined := range b.Metadata {
					m := defined.Metadata
					fields := []string{}
					for _, f := range m.Fields {
						fields = append(fields, f.Name, f.Type.Code.String())
					}
					got = append(got, row{
						m.EventID, m.Level, m.Version, m.Opcode, m.Keywords, m.ProviderGUID.String(),
						len(m.Message) + len(m.Description), len(m.Attributes), fmt.Sprint(fields),
					})
				}
			}
			if err := r.Err(); err != nil || !slices.Equal(got, want) {
				t.Errorf("%+v, error %v, want %+v", got, err, want)
			}
		})
	}
}
