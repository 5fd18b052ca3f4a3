package view_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestEvents: a document of events has their offsets.
func TestEvents(t *testing.T) {
	const name = "net10-mix-gc.v4"
	s := read(t, name, shared.Trace(t, name))
	var err error
	s.Profile, err = profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(shared.Trace(t, name)), codec.Options{}),
		profile.Options{Types: []profile.Type{profile.Event}, Select: func(e *codec.Event) bool { return e.ID() == 10 }})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := encode(t, s)
	expect.Len(t, "types", d.Types, 1)
	expect.Equal(t, "type", d.Types[0].Option, "event")
	var got, want []int64
	for thread := range d.Threads {
		offset := int64(0)
		for i := d.Types[0].Offsets[thread]; i < d.Types[0].Offsets[thread+1]; i++ {
			offset += d.columns["event.offset"][i]
			got = append(got, offset)
		}
	}
	for sample := range s.Profile.Samples(profile.Event) {
		want = append(want, sample.Offset)
	}
	expect.AtLeast(t, "events", len(got), 10)
	expect.Equal(t, "offsets are equal", slices.Equal(got, want), true)
}
