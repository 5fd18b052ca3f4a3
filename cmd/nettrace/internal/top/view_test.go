package top

import (
	"regexp"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestArrange: paths in each view. Name 2 is the method whose callers or callees
// are shown.
func TestArrange(t *testing.T) {
	method := regexp.MustCompile("")
	for _, c := range []struct {
		name string
		view callView
		path []uint32
		want []uint32
	}{
		{"bottom up", callView{bottomUp: true}, []uint32{1, 2, 3}, []uint32{3, 2, 1}},
		{"bottom up, no frames", callView{bottomUp: true}, nil, nil},
		{"callers", callView{callers: method}, []uint32{1, 4, 2, 3}, []uint32{2, 4, 1}},
		{"callers of a recursive method", callView{callers: method}, []uint32{1, 2, 3, 2}, []uint32{2, 1}},
		{"callees", callView{callees: method}, []uint32{1, 2, 3, 4}, []uint32{2, 3, 4}},
		{"callees of a recursive method", callView{callees: method}, []uint32{1, 2, 3, 2}, []uint32{2, 3, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := c.view.arrange(c.path, func(name uint32) bool { return name == 2 })
			expect.Equal(t, "the view has the path", ok, true)
			expect.Slices(t, "path", got, c.want)
		})
	}
	_, ok := (&callView{callers: method}).arrange([]uint32{1, 3}, func(name uint32) bool { return name == 2 })
	expect.Equal(t, "the view has a path without the method", ok, false)
}

// TestStandardErrors compares shares of samples.
func TestStandardErrors(t *testing.T) {
	for _, c := range []struct {
		name       string
		a, m, b, n int64
		want       float64
	}{
		{"the same share", 10, 100, 20, 200, 0},
		{"half and a quarter of 100", 50, 100, 25, 100, 3.6515},
		{"a quarter and half of 100", 25, 100, 50, 100, -3.6515},
		{"no samples", 0, 0, 5, 10, 0},
		{"all samples", 10, 10, 20, 20, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := standardErrors(c.a, c.m, c.b, c.n)
			expect.AtLeast(t, "standard errors", got, c.want-0.001)
			expect.AtMost(t, "standard errors", got, c.want+0.001)
		})
	}
}

// TestAlike: rows look alike if they have one name and two modules.
func TestAlike(t *testing.T) {
	rows := make([]topRow, 2)
	rows[0].name.Text, rows[0].name.Module = "A.B()", "one"
	rows[1].name.Text, rows[1].name.Module = "A.B()", "two"
	expect.Equal(t, "two modules", alike(rows), true)
	rows[1].name.Text = "A.C()"
	expect.Equal(t, "two names", alike(rows), false)
}
