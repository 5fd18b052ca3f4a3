package agent

import (
	"io"
	"time"
)

// readEvery is the time between two readings of a session that has nothing more to read.
const readEvery = 200 * time.Millisecond

// busy is the number of bytes in readEvery above which a session is read without pauses: the
// connection holds less than two times as many, and then the runtime has to wait.
const busy = 128 << 10

// paced reads a session several times a second, all sessions at the same moments. A runtime
// writes each block in many small parts: without the pauses each part would wake this process.
// A session that has more than is read at once is read without pauses. One that has much more
// pauses for at most every second time of readEvery, or the runtime would drop events.
type paced struct {
	src     io.Reader
	hurry   <-chan struct{} // closed when there shall be no more pauses
	emptied bool            // the last reading was of all that had arrived
	number  int64           // of the time of readEvery of the last reading
	bytes   int             // read in it
}

func (p *paced) Read(b []byte) (int, error) {
	p.count(0)
	if p.emptied && p.bytes < busy {
		timer := time.NewTimer(readEvery - time.Duration(time.Now().UnixNano())%readEvery)
		select {
		case <-timer.C:
		case <-p.hurry:
			timer.Stop()
		}
	}
	n, err := p.src.Read(b)
	p.count(n)
	p.emptied = n < len(b)
	return n, err
}

// count adds to the bytes that were read in the current time of readEvery.
func (p *paced) count(n int) {
	if now := time.Now().UnixNano() / int64(readEvery); now != p.number {
		p.number, p.bytes = now, 0
	}
	p.bytes += n
}
