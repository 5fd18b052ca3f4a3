package live

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
)

const (
	// namesEvery is the shortest time between two requests for names.
	namesEvery = 5 * time.Second
	// namesShare is the time without a request after each, as a multiple of its duration:
	// the process answers no other request meanwhile.
	namesShare = 20
	// firstPatience is the time for which the first document waits for names.
	firstPatience = 2 * time.Second
	// namesPatience is the time in which the process must send the names.
	namesPatience = 30 * time.Second
	// namesBufferMB is the size of the buffer in the process.
	namesBufferMB = 64
)

// names has the names of the methods of a running process. A ring does not keep the events
// that name methods, and the process sends names at the end of a session only: a second
// session requests them when frames have no name.
type names struct {
	of *attach.Process

	mu      sync.Mutex
	busy    bool
	data    []byte        // of the last answer
	asked   time.Time     // when it came
	cost    time.Duration // until it came
	unnamed int64         // frames without a name in the first trace with data
	begun   time.Time     // of the first request
	fresh   bool          // no trace was made with data yet
	err     error         // of the last request
}

// reader returns the stream with the names, nil for none.
func (n *names) reader() io.Reader {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.data == nil {
		return nil
	}
	return bytes.NewReader(n.data)
}

// missing reports whether names are to be requested for a trace in which this number of
// frames has no name. Frames that had none after the last request do not count: their code
// was unloaded.
func (n *names) missing(unnamed int64) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fresh {
		n.fresh, n.unnamed = false, unnamed
	}
	due := n.asked.IsZero() || time.Since(n.asked) >= max(namesEvery, namesShare*n.cost)
	return !n.busy && due && unnamed > n.unnamed
}

// request requests the names and calls done when they have come.
func (n *names) request(done func()) {
	n.mu.Lock()
	n.busy = true
	if n.begun.IsZero() {
		n.begun = time.Now()
	}
	n.mu.Unlock()
	go func() {
		ctx, cancel := context.WithTimeoutCause(context.Background(), namesPatience, fmt.Errorf("the process did not send them within %v", namesPatience))
		defer cancel()
		begun := time.Now()
		data, err := n.of.Names(ctx, namesBufferMB)
		n.mu.Lock()
		n.busy, n.asked, n.cost, n.err = false, time.Now(), time.Since(begun), err
		if err == nil {
			n.data, n.fresh = data, true
		}
		n.mu.Unlock()
		done()
	}()
}

// firstExpected reports whether the answer to the first request is about to come.
func (n *names) firstExpected() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.busy && n.asked.IsZero() && time.Since(n.begun) < firstPatience
}

// problem returns why names are missing, "" if they are not.
func (n *names) problem() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err == nil {
		return ""
	}
	return "the names of methods are missing: " + n.err.Error()
}
