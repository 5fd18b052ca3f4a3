// Package expect has the assertions that most tests need: one call for each
// fact, and a message with the value got and the value wanted.
//
// Only tests import this package. The functions call Helper only where they
// report an error: tests call them for each of a million events.
package expect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Equal reports an error if got is not equal to want.
func Equal[T comparable](tb testing.TB, what string, got, want T) {
	if got != want {
		tb.Helper()
		tb.Errorf("%s: got %s, want %s", what, text(got), text(want))
	}
}

// Slices reports an error if got has not the elements of want in their order.
func Slices[E comparable](tb testing.TB, what string, got, want []E) {
	if !slices.Equal(got, want) {
		tb.Helper()
		tb.Errorf("%s: got %s, want %s", what, text(got), text(want))
	}
}

// Bytes reports an error if got has not the bytes of want.
func Bytes(tb testing.TB, what string, got, want []byte) {
	if !bytes.Equal(got, want) {
		tb.Helper()
		n := 0
		for n < min(len(got), len(want)) && got[n] == want[n] {
			n++
		}
		tb.Errorf("%s: got %d bytes, want %d bytes, equal up to offset %d", what, len(got), len(want), n)
	}
}

// NotZero reports an error if got is the zero value of its type.
func NotZero[T comparable](tb testing.TB, what string, got T) {
	if zero := *new(T); got == zero {
		tb.Helper()
		tb.Errorf("%s: got %s, want another value", what, text(got))
	}
}

// AtLeast reports an error if got is less than min.
func AtLeast[T cmp.Ordered](tb testing.TB, what string, got, min T) {
	if got < min {
		tb.Helper()
		tb.Errorf("%s: got %v, want at least %v", what, got, min)
	}
}

// AtMost reports an error if got is greater than max.
func AtMost[T cmp.Ordered](tb testing.TB, what string, got, max T) {
	if got > max {
		tb.Helper()
		tb.Errorf("%s: got %v, want at most %v", what, got, max)
	}
}

// Contains reports an error for each text of want that got does not contain.
func Contains(tb testing.TB, what, got string, want ...string) {
	for _, w := range want {
		if !strings.Contains(got, w) {
			tb.Helper()
			tb.Errorf("%s: got\n%s\nwant %q in it", what, short(got), w)
		}
	}
}

// Lacks reports an error for each text of unwanted that got contains.
func Lacks(tb testing.TB, what, got string, unwanted ...string) {
	for _, u := range unwanted {
		if strings.Contains(got, u) {
			tb.Helper()
			tb.Errorf("%s: got\n%s\nwant no %q in it", what, short(got), u)
		}
	}
}

// ErrorIs reports an error if err does not match target by [errors.Is].
func ErrorIs(tb testing.TB, err, target error) {
	if !errors.Is(err, target) {
		tb.Helper()
		tb.Errorf("error: got %v, want %v", err, target)
	}
}

// NoError ends the test if err is not nil.
func NoError(tb testing.TB, err error) {
	if err != nil {
		tb.Helper()
		tb.Fatalf("error: got %v, want none", err)
	}
}

// Len ends the test if list has not n elements.
func Len[E any](tb testing.TB, what string, list []E, n int) {
	if len(list) != n {
		tb.Helper()
		tb.Fatalf("%s: got %d elements, want %d: %+v", what, len(list), n, list)
	}
}

// Stop ends the test if it has failed. It follows assertions without which
// those after it make no sense.
func Stop(tb testing.TB) {
	if tb.Failed() {
		tb.Helper()
		tb.FailNow()
	}
}

// text quotes strings and prints the names of a struct's fields.
func text(v any) string {
	switch v.(type) {
	case string, []string:
		return short(fmt.Sprintf("%q", v))
	}
	return short(fmt.Sprintf("%+v", v))
}

// short leaves out the middle of a long text.
func short(s string) string {
	const part = 2000
	if len(s) <= 2*part {
		return s
	}
	return fmt.Sprintf("%s ... (%d bytes) ... %s", s[:part], len(s)-2*part, s[len(s)-part:])
}
