package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// TestFormatPredicates compares each predicate with the versions in the
// specification.
func TestFormatPredicates(t *testing.T) {
	versions := []Format{V3, V4, V5, V6, {Major: 6, Minor: 25}}
	tested := map[string]bool{}
	for _, c := range []struct {
		name string
		has  func(Format) bool
		want string // of versions
	}{
		{"HasObjects", Format.HasObjects, "3 4 5"},
		{"HasSpecification", Format.HasSpecification, "4 5 6.0 6.25"},
		{"HasEventBlockHeaders", Format.HasEventBlockHeaders, "4 5 6.0 6.25"},
		{"HasMetadataBlocks", Format.HasMetadataBlocks, "4 5 6.0 6.25"},
		{"HasStackBlocks", Format.HasStackBlocks, "4 5 6.0 6.25"},
		{"HasSequenceNumbers", Format.HasSequenceNumbers, "4 5 6.0 6.25"},
		{"HasSequencePoints", Format.HasSequencePoints, "4 5 6.0 6.25"},
		{"HasPadding", Format.HasPadding, "3 4 5"},
		{"HasMetadataHeaders", Format.HasMetadataHeaders, "3 4 5"},
		{"HasTags", Format.HasTags, "5"},
		{"HasOpcodes", Format.HasOpcodes, "5 6.0 6.25"},
		{"HasOptionalMetadata", Format.HasOptionalMetadata, "6.0 6.25"},
		{"HasTraceProperties", Format.HasTraceProperties, "6.0 6.25"},
		{"HasThreadTable", Format.HasThreadTable, "6.0 6.25"},
		{"HasRemovedThreads", Format.HasRemovedThreads, "6.0 6.25"},
		{"HasSequencePointFlags", Format.HasSequencePointFlags, "6.0 6.25"},
		{"HasLabelLists", Format.HasLabelLists, "6.0 6.25"},
	} {
		tested[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, f := range versions {
				if c.has(f) {
					got = append(got, f.String())
				}
			}
			if list := strings.Join(got, " "); list != c.want {
				t.Errorf("got versions %s, want %s", list, c.want)
			}
		})
	}
	all := reflect.TypeFor[Format]()
	for i := range all.NumMethod() {
		if name := all.Method(i).Name; strings.HasPrefix(name, "Has") && name != "HasType" && !tested[name] {
			t.Errorf("%s is not tested", name)
		}
	}
}

func TestFormatHasType(t *testing.T) {
	for _, c := range []struct {
		code TypeCode
		want []Format
	}{
		{Int32, []Format{V3, V4, V5, V6}},
		{NullTerminatedUTF16String, []Format{V3, V4, V5, V6}},
		{Decimal, []Format{V3, V4, V5}},
		{Array, []Format{V5, V6}},
		{VarInt, []Format{V6}},
		{RelLoc, []Format{V6}},
		{Boolean8, []Format{V6}},
		{Pointer, nil},
		{2, nil},
		{27, nil},
	} {
		t.Run(c.code.String(), func(t *testing.T) {
			for _, f := range []Format{V3, V4, V5, V6} {
				t.Run(fmt.Sprint(f), func(t *testing.T) {
					if got := f.HasType(c.code); got != slices.Contains(c.want, f) {
						t.Errorf("version %v: got %v", f, got)
					}
				})
			}
		})
	}
}

func TestFormatOrder(t *testing.T) {
	expect.Equal(t, "V3.Before(V4)", V3.Before(V4), true)
	expect.Equal(t, "V4.Before(V4)", V4.Before(V4), false)
	expect.Equal(t, "V6.Before(V5)", V6.Before(V5), false)
	expect.Equal(t, "V6.Before(6.1)", V6.Before(Format{Major: 6, Minor: 1}), false)
	if got := V4.WithTags(); got != V5 {
		t.Errorf("version 4 with tags: got %v", got)
	}
	for _, f := range []Format{V3, V5, V6, {Major: 6, Minor: 1}} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			if got := f.WithTags(); got != f {
				t.Errorf("version %v with tags: got %v", f, got)
			}
		})
	}
	if V3.IsZero() || !(Format{}).IsZero() {
		t.Error("IsZero")
	}
}
