package profile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nettrace-go/nettrace/internal/shared"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/profile"
)

// TestIncompleteReader: a Reader that has already returned events is an error;
// one whose Trace block was read is not.
func TestIncompleteReader(t *testing.T) {
	data := shared.Trace(t, "gen-cpu-sampling.v6")
	for _, c := range []struct {
		name string
		opt  codec.Options
		read func(*codec.Reader)
		want error
	}{
		{"trace read", codec.Options{}, func(r *codec.Reader) { _, _ = r.Trace() }, nil},
		{"event read", codec.Options{}, func(r *codec.Reader) { r.Next() }, codec.ErrStarted},
		{"without stacks", codec.Options{NoStacks: true}, func(*codec.Reader) {}, codec.ErrNoStacks},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := codec.NewBytesReader(data, c.opt)
			c.read(r)
			if _, err := profile.FromReader(context.Background(), r, profile.Options{}); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
				t.Errorf("got error %v, want %v", err, c.want)
			}
		})
	}
}
