package agent

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPaced: a reader pauses when it has read all that has arrived, up to a moment that all
// readers share, and not when there is more or when it has to hurry.
func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now().Truncate(readEvery).Add(readEvery)
		time.Sleep(time.Until(begun.Add(readEvery / 4)))
		const size = 8
		hurry := make(chan struct{})
		sizes := []int{size, size, 3, 1, size, 2, 5, 0}
		p := &paced{src: &pieces{sizes: sizes}, hurry: hurry}
		for i, want := range []time.Duration{
			readEvery / 4, readEvery / 4, readEvery / 4, // at once
			readEvery, 2 * readEvery, // after all had been read
			2 * readEvery, 2*readEvery + readEvery/2, 2*readEvery + readEvery/2,
		} {
			if i == 6 {
				go func() {
					time.Sleep(readEvery / 2)
					close(hurry)
				}()
			}
			n, err := p.Read(make([]byte, size))
			expect.Equal(t, "bytes", n, sizes[i])
			expect.Equal(t, "time", time.Since(begun), want)
			expect.Equal(t, "end", err == io.EOF, i == len(sizes)-1)
		}
	})
}

// TestPacedBusy: after much has been read, a reader does not pause up to the next moment that
// all readers share.
func TestPacedBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now().Truncate(readEvery).Add(readEvery)
		p := &paced{}
		for _, c := range []struct {
			name        string
			size        int
			begin, want time.Duration // times of the call and of its end
		}{
			{"first", busy - 1, 0, 0},
			{"after less than busy", busy, readEvery / 2, readEvery},
			{"after busy", 1, readEvery + readEvery/4, readEvery + readEvery/4},
			{"again", 1, readEvery + readEvery/2, readEvery + readEvery/2},
			{"after the next moment", 1, 2*readEvery + readEvery/2, 3 * readEvery},
		} {
			time.Sleep(time.Until(begun.Add(c.begin)))
			p.src = &pieces{sizes: []int{c.size}}
			_, err := p.Read(make([]byte, 2*busy))
			expect.NoError(t, err)
			expect.Equal(t, c.name+": time", time.Since(begun), c.want)
		}
	})
}

// pieces returns so many bytes in each call, and the end where they are none.
type pieces struct{ sizes []int }

func (s *pieces) Read([]byte) (int, error) {
	n := s.sizes[0]
	s.sizes = s.sizes[1:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}
