package nettrace

import "io"

const (
	aheadChunk  = 256 << 10
	aheadChunks = 4
)

// ahead reads a source in a goroutine of its own, a few chunks before they are
// asked for, so that decompressing and decoding run at the same time. Read
// returns the bytes of one read of the source, without waiting for more.
type ahead struct {
	full chan chunk
	free chan []byte
	stop chan struct{}
	done chan struct{} // closed when the goroutine has ended
	now  chunk         // the rest of the current chunk
	buf  []byte
}

type chunk struct {
	data []byte
	err  error
}

// newAhead starts the goroutine; end is called when it ends.
func newAhead(src io.Reader, end func()) *ahead {
	a := &ahead{full: make(chan chunk, aheadChunks), free: make(chan []byte, aheadChunks),
		stop: make(chan struct{}), done: make(chan struct{})}
	for range aheadChunks {
		a.free <- make([]byte, aheadChunk)
	}
	go func() {
		defer close(a.done)
		defer end()
		a.run(src)
	}()
	return a
}

func (a *ahead) run(src io.Reader) {
	for {
		var buf []byte
		select {
		case buf = <-a.free:
		case <-a.stop:
			return
		}
		n, err := src.Read(buf)
		select {
		case a.full <- chunk{buf[:n], err}:
		case <-a.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read implements io.Reader. After an error it returns that error again.
func (a *ahead) Read(b []byte) (int, error) {
	for len(a.now.data) == 0 && a.now.err == nil {
		if a.buf != nil {
			a.free <- a.buf
		}
		a.now = <-a.full
		a.buf = a.now.data[:cap(a.now.data)]
	}
	n := copy(b, a.now.data)
	a.now.data = a.now.data[n:]
	if n == 0 && len(b) > 0 {
		return 0, a.now.err
	}
	return n, nil
}

// Close ends the goroutine and waits until it has ended, which is when the source
// returns from its current read.
func (a *ahead) Close() {
	close(a.stop)
	<-a.done
}
