package gen

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// wide are the faults that change more than one block.
var wide = []string{"trace-not-first", "trace-object-not-first", "point-thread-left-out", "forty-days-later"}

// TestFaultsStayInTheirBlock: blocks without the fault keep their bytes.
func TestFaultsStayInTheirBlock(t *testing.T) {
	for _, c := range Faults() {
		for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
			if !c.In(format) || slices.Contains(wide, c.Name) {
				continue
			}
			t.Run(fmt.Sprint(format), func(t *testing.T) {
				s := newTemplate(format, 3)
				c.inject(s)
				bad := s.bad
				if len(bad) > len(s.good) {
					bad = slices.Delete(slices.Clone(bad), s.fault.part, s.fault.part+1)
				}
				changed := 0
				for i := range s.good {
					if !bytes.Equal(s.good[i].body, bad[i].body) || s.good[i].typeName != bad[i].typeName {
						changed++
					}
				}
				if changed > 1 {
					t.Errorf("%s in v%v: %d blocks differ", c.Name, format, changed)
				}
			})
		}
	}
}
