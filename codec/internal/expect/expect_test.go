package expect

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// messages is a test that collects its errors.
type messages struct {
	testing.TB
	list []string
}

func (m *messages) Helper()      {}
func (m *messages) Failed() bool { return len(m.list) > 0 }
func (m *messages) FailNow()     { m.list = append(m.list, "end") }

func (m *messages) Errorf(format string, args ...any) {
	m.list = append(m.list, fmt.Sprintf(format, args...))
}

func (m *messages) Fatalf(format string, args ...any) {
	m.Errorf(format, args...)
	m.FailNow()
}

func TestMessages(t *testing.T) {
	type point struct{ X, Y int }
	for _, c := range []struct {
		name   string
		assert func(tb testing.TB)
		want   []string
	}{
		{"equal", func(tb testing.TB) { Equal(tb, "n", 1, 1) }, nil},
		{"other number", func(tb testing.TB) { Equal(tb, "n", 1, 2) }, []string{"n: got 1, want 2"}},
		{"other string", func(tb testing.TB) { Equal(tb, "s", "a ", "a") }, []string{`s: got "a ", want "a"`}},
		{"other struct", func(tb testing.TB) { Equal(tb, "p", point{1, 2}, point{1, 3}) }, []string{"p: got {X:1 Y:2}, want {X:1 Y:3}"}},
		{"equal slices", func(tb testing.TB) { Slices(tb, "s", []int{1, 2}, []int{1, 2}) }, nil},
		{"other slices", func(tb testing.TB) { Slices(tb, "s", []string{"a"}, []string{"b"}) }, []string{`s: got ["a"], want ["b"]`}},
		{"equal bytes", func(tb testing.TB) { Bytes(tb, "b", []byte("a"), []byte("a")) }, nil},
		{"other bytes", func(tb testing.TB) { Bytes(tb, "b", []byte("abc"), []byte("abd!")) }, []string{"b: got 3 bytes, want 4 bytes, equal up to offset 2"}},
		{"not zero", func(tb testing.TB) { NotZero(tb, "n", 1) }, nil},
		{"zero", func(tb testing.TB) { NotZero[error](tb, "e", nil) }, []string{"e: got <nil>, want another value"}},
		{"within", func(tb testing.TB) { AtLeast(tb, "n", 1, 1); AtMost(tb, "n", 1, 1) }, nil},
		{"below", func(tb testing.TB) { AtLeast(tb, "n", 0, 1) }, []string{"n: got 0, want at least 1"}},
		{"above", func(tb testing.TB) { AtMost(tb, "n", 2, 1) }, []string{"n: got 2, want at most 1"}},
		{"contained", func(tb testing.TB) { Contains(tb, "s", "abc", "a", "bc") }, nil},
		{"not contained", func(tb testing.TB) { Contains(tb, "s", "abc", "d", "a", "e") },
			[]string{"s: got\nabc\nwant \"d\" in it", "s: got\nabc\nwant \"e\" in it"}},
		{"long", func(tb testing.TB) { Contains(tb, "s", strings.Repeat("a", 2000)+"b"+strings.Repeat("c", 2000), "d") },
			[]string{"s: got\n" + strings.Repeat("a", 2000) + " ... (1 bytes) ... " + strings.Repeat("c", 2000) + "\nwant \"d\" in it"}},
		{"absent", func(tb testing.TB) { Lacks(tb, "s", "abc", "d") }, nil},
		{"not absent", func(tb testing.TB) { Lacks(tb, "s", "abc", "d", "b") }, []string{"s: got\nabc\nwant no \"b\" in it"}},
		{"error", func(tb testing.TB) { ErrorIs(tb, fmt.Errorf("x: %w", io.EOF), io.EOF) }, nil},
		{"other error", func(tb testing.TB) { ErrorIs(tb, errors.New("x"), io.EOF) }, []string{"error: got x, want EOF"}},
		{"no error", func(tb testing.TB) { NoError(tb, nil) }, nil},
		{"an error", func(tb testing.TB) { NoError(tb, io.EOF) }, []string{"error: got EOF, want none", "end"}},
		{"length", func(tb testing.TB) { Len(tb, "l", []int{1}, 1) }, nil},
		{"other length", func(tb testing.TB) { Len(tb, "l", []int{1}, 2) }, []string{"l: got 1 elements, want 2: [1]", "end"}},
		{"go on", func(tb testing.TB) { Stop(tb) }, nil},
		{"stop", func(tb testing.TB) { Equal(tb, "n", 1, 2); Stop(tb) }, []string{"n: got 1, want 2", "end"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var m messages
			if c.assert(&m); !slices.Equal(m.list, c.want) {
				t.Errorf("got %q, want %q", m.list, c.want)
			}
		})
	}
}
