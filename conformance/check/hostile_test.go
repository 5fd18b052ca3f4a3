package check

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPrefixes truncates a stream at every third byte: the truncation is found,
// and no finding that would follow from it.
func TestPrefixes(t *testing.T) {
	cuts := map[rule.ID]bool{
		rule.HDR002: true, rule.EOS001: true, rule.EOS004: true, rule.EOS006: true, rule.BLK001: true,
		rule.BLK002: true, rule.OBJ008: true, // bytes before the truncation that look like the end of a stream
	}
	for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			whole := gen.Faults()[0].Inject(format, 5).Corrected
			for n := 0; n < len(whole); n += 3 {
				r := check(t, whole[:n], Options{})
				if len(r.Findings) != 1 || !cuts[r.Findings[0].Rule] || r.Complete {
					t.Errorf("v%d, %d of %d bytes: %v", format.Major, n, len(whole), told(r.Findings))
				}
			}
		})
	}
}

// TestSourceError: an error of the source is returned unchanged.
func TestSourceError(t *testing.T) {
	broken := errors.New("the cable is out")
	whole := gen.Faults()[0].Inject(wire.V6, 5).Corrected
	for _, n := range []int{0, 4, 30, 1000} {
		t.Run(fmt.Sprintf("n=%v", n), func(t *testing.T) {
			src := bytes.NewReader(whole[:n])
			_, err := Stream(&failing{src, broken}, Options{})
			if !errors.Is(err, broken) {
				t.Errorf("after %d bytes: %v", n, err)
			}
		})
	}
	if _, err := Stream(iotest.TimeoutReader(bytes.NewReader(whole)), Options{}); err != nil && !errors.Is(err, iotest.ErrTimeout) {
		t.Error(err)
	}
}

type failing struct {
	*bytes.Reader
	err error
}

func (f *failing) Read(b []byte) (int, error) {
	if f.Len() == 0 {
		return 0, f.err
	}
	return f.Reader.Read(b)
}

// FuzzCheck checks any bytes: no panic, no finding outside of the stream, and the
// same findings for any size of the source's reads.
func FuzzCheck(f *testing.F) {
	for _, fault := range gen.Faults() {
		for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
			if fault.In(format) {
				f.Add(fault.Inject(format, 7).Faulty)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = data[:len(data):len(data)]
		whole := check(t, data, Options{Profile: Lint})
		for i := range whole.Findings {
			x := &whole.Findings[i]
			expect.AtLeast(t, "x.Offset", x.Offset, 0)
			expect.AtMost(t, "x.Offset", x.Offset, int64(len(data)))
			expect.AtLeast(t, "x.Count", x.Count, 1)
			expect.AtMost(t, "x.Block.Offset", x.Block.Offset, int64(len(data)))
		}
		parts, err := Stream(iotest.HalfReader(bytes.NewReader(data)), Options{Profile: Lint})
		if err != nil || len(parts.Findings) != len(whole.Findings) {
			t.Errorf("in parts %v, at once %v, %v", told(parts.Findings), told(whole.Findings), err)
		}
	})
}
