package profile_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// TestNestedSpans draws waits within waits: the inner one is drawn within the
// outer one.
func TestNestedSpans(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(*makingTrace)
		want []string
	}{
		{
			name: "nested", want: []string{"open 0", "open 100", "close 200", "close 700"},
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.leaf = 0x5000
				m.on(300, waitStart, 1)
				m.leaf = 0
				m.on(400, waitEnd, 1)
				m.on(900, waitEnd, 1)
			},
		},
		{
			name: "apart", want: []string{"open 0", "close 100", "open 200", "close 300"},
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.on(300, waitEnd, 1)
				m.on(400, waitStart, 1)
				m.on(500, waitEnd, 1)
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := makeTrace(wire.V4)
			c.make(m)
			p := m.read(t, profile.Options{})
			var got []string
			frames := 0
			s := calltree.Spans{Names: calltree.NewNames(p, calltree.Naming(false))}
			s.Open = func(at int64, names []uint32) {
				if frames += len(names); len(names) > 0 {
					got = append(got, fmt.Sprint("open ", at/1e3))
				}
			}
			s.Close = func(at int64, names []uint32) {
				if frames -= len(names); len(names) > 0 {
					got = append(got, fmt.Sprint("close ", at/1e3))
				}
			}
			s.Thread(p, profile.Wait, 0)
			if frames != 0 {
				t.Errorf("%d frames stay open", frames)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
