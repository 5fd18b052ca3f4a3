package fuzz

import (
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
)

// differ describes the difference of two outcomes of the same stream.
func differ(how string, want, got *outcome) error {
	if err := prefix(how, want, got); err != nil {
		return err
	}
	if len(got.events) != len(want.events) {
		return fmt.Errorf("%s: %d events, not %d; ended with %v, not %v", how, len(got.events), len(want.events), got.err, want.err)
	}
	if at := firstDifference(want.losses, got.losses); at >= 0 {
		return fmt.Errorf("%s: loss %d is %+v, not %+v", how, at, nth(got.losses, at), nth(want.losses, at))
	}
	if !slices.EqualFunc(want.reported, got.reported, func(a, b codec.Error) bool { return sameError(&a, &b) }) {
		return fmt.Errorf("%s: defects %v, not %v", how, got.reported, want.reported)
	}
	if want.bad != got.bad || !sameError(want.firstBad, got.firstBad) || !sameError(want.err, got.err) {
		return fmt.Errorf("%s: %d bad, %v, %v; not %d, %v, %v", how, got.bad, got.firstBad, got.err, want.bad, want.firstBad, want.err)
	}
	if want.trace != got.trace || want.lost != got.lost || want.count != got.count || len(want.defects) != len(got.defects) ||
		want.offset != got.offset || want.trailing != got.trailing {
		return fmt.Errorf("%s: trace %x lost %d count %d defects %d offset %d trailing %d; not %x %d %d %d %d %d", how,
			got.trace, got.lost, got.count, len(got.defects), got.offset, got.trailing,
			want.trace, want.lost, want.count, len(want.defects), want.offset, want.trailing)
	}
	return nil
}

// prefix reports whether the events of got are the first ones of want.
func prefix(how string, want, got *outcome) error {
	n := min(len(want.events), len(got.events))
	if len(got.events) > n {
		return fmt.Errorf("%s: %d events, not %d", how, len(got.events), n)
	}
	if at := firstDifference(want.events[:n], got.events); at >= 0 {
		return fmt.Errorf("%s: event %d is\n%+v\nnot\n%+v", how, at, got.events[at], want.events[at])
	}
	return nil
}

// sameError compares the fields of two errors that are API, and their causes.
func sameError(a, b error) bool {
	x, okX := a.(*codec.Error)
	y, okY := b.(*codec.Error)
	if !okX || !okY || x == nil || y == nil {
		return isNil(a) && isNil(b) || a == b
	}
	return x.Offset == y.Offset && x.Block == y.Block && x.BlockOffset == y.BlockOffset && x.Row == y.Row &&
		x.Rule == y.Rule && x.Err.Error() == y.Err.Error()
}

func isNil(err error) bool {
	e, ok := err.(*codec.Error)
	return err == nil || ok && e == nil
}

// firstDifference is the position of the first element that differs, or -1.
func firstDifference[T comparable](a, b []T) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) != len(b) {
		return n
	}
	return -1
}

func nth[T any](s []T, i int) any {
	if i >= len(s) {
		return "nothing"
	}
	return s[i]
}
