package codec_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
)

func TestSliceTime(t *testing.T) {
	name := codec.KeyValue{Key: "Name", Value: "x"}
	for _, c := range []struct {
		name       string
		properties []codec.KeyValue
		want       codec.TimeRange
	}{
		{"no properties", nil, codec.TimeRange{}},
		{"other properties", []codec.KeyValue{name}, codec.TimeRange{}},
		{"both bounds", []codec.KeyValue{{codec.SliceFromKey, "0"}, {codec.SliceToKey, "18446744073709551615"}}, codec.TimeRange{HasFrom: true, To: 1<<64 - 1, HasTo: true}},
		{"one bound", []codec.KeyValue{{codec.SliceToKey, "7"}}, codec.TimeRange{To: 7, HasTo: true}},
		{"not a number", []codec.KeyValue{{codec.SliceFromKey, "-1"}, {codec.SliceToKey, "18446744073709551616"}}, codec.TimeRange{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := codec.Trace{Properties: c.properties}
			if got := trace.SliceTime(); got != c.want {
				t.Errorf("SliceTime is %+v, want %+v", got, c.want)
			}
			trace.Properties = append([]codec.KeyValue{name}, c.properties...)
			before := slices.Clone(trace.Properties)
			shown := trace
			shown.SetSliceTime(codec.TimeRange{From: 3, HasFrom: true})
			if got, want := shown.SliceTime(), (codec.TimeRange{From: 3, HasFrom: true}); got != want {
				t.Errorf("after SetSliceTime, SliceTime is %+v, want %+v", got, want)
			}
			if value, _ := shown.Property("Name"); value != "x" {
				t.Errorf("SetSliceTime changed another property: %v", shown.Properties)
			}
			if !slices.Equal(trace.Properties, before) {
				t.Errorf("SetSliceTime changed the list of the original: %v", trace.Properties)
			}
		})
	}
}
