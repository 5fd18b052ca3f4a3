package profile_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestNoLabels: without labels the samples are the same, and have only the labels of their
// threads.
func TestNoLabels(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	read := func(opt profile.Options) *profile.Profile {
		p, err := profile.FromReader(t.Context(), codec.NewBytesReader(data, codec.Options{}), opt)
		expect.NoError(t, err)
		return p
	}
	all, none := read(profile.Options{}), read(profile.Options{NoLabels: true})
	var want []profile.Sample
	labels := 0
	for s := range all.Samples(profile.Exception) {
		want = append(want, s)
		labels += len(all.Labels(&s))
	}
	expect.AtLeast(t, "samples", len(want), 1)
	n, left := 0, 0
	for s := range none.Samples(profile.Exception) {
		expect.Equal(t, "value", s.Value, want[n].Value)
		expect.Equal(t, "thread", s.Thread, want[n].Thread)
		for _, l := range none.Labels(&s) {
			left++
			expect.Lacks(t, "key", l.Key, "exception")
		}
		n++
	}
	expect.Equal(t, "samples", n, len(want))
	expect.AtLeast(t, "labels that are left out", labels-left, len(want))
}
