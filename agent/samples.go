package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/profile"
)

// readingEvery is the time between two readings of the processor time of threads.
const readingEvery = 200 * time.Millisecond

// sample takes samples for a part of the window that ends at to, and makes their
// profiles.
func (l *life) sample(ctx context.Context, wanted []Kind, to time.Time) error {
	session, err := l.client.StartSession(ctx, samplerSession)
	if err != nil {
		return fmt.Errorf("the session of samples: %w", err)
	}
	begun := time.Now()
	data := &bounded{limit: l.opt.SampleBytes, full: make(chan struct{})}
	data.buf.Grow(l.sampleSize)
	s := read(session, func(src io.Reader) error {
		_, err := io.Copy(data, src)
		return err
	})
	times := record.NewThreadTimes(l.process.PID)
	l.wait(ctx, s, data, times, l.sampling(to))
	sampled := time.Since(begun)
	s.end()
	l.sampleSize = len(data.bytes())
	full := data.discarded > 0
	if full {
		l.problem(&l.process, fmt.Errorf("samples of %v of %v have %d bytes: the rest is left out", sampled.Round(time.Millisecond), l.opt.Sample, l.opt.SampleBytes))
	}
	list := times.All()
	if ended := time.Now(); ended.Before(to) && (ctx.Err() != nil || l.hasEnded()) {
		to = ended
	}
	if len(data.bytes()) > 0 {
		l.building.Lock()
		defer l.building.Unlock()
		if err := l.profiles(data.bytes(), list, part{kinds: wanted, from: l.sampledTo, to: to, sampled: sampled}); err != nil && !full && !l.hasEnded() {
			l.problem(&l.process, err)
		}
	}
	l.sampledTo = to
	return nil
}

// sampling returns the time for sampling in a window that ends at to. It is shorter
// than Options.Sample if the window began late, but at least half of it.
func (l *life) sampling(to time.Time) time.Duration {
	return min(l.opt.Sample, max(time.Until(to), l.opt.Sample/2))
}

// wait waits for the end of sampling, and reads the times of threads meanwhile.
func (l *life) wait(ctx context.Context, s *stream, data *bounded, times *record.ThreadTimes, sampling time.Duration) {
	end := time.NewTimer(sampling)
	defer end.Stop()
	tick := time.NewTicker(readingEvery)
	defer tick.Stop()
	_ = times.Read() // only Linux has them
	for {
		select {
		case <-tick.C:
			_ = times.Read()
			continue
		case <-end.C:
		case <-data.full:
		case <-s.ended:
		case <-ctx.Done():
		}
		_ = times.Read()
		return
	}
}

// bounded keeps the first bytes of a stream.
type bounded struct {
	limit     int
	buf       bytes.Buffer
	discarded int64
	full      chan struct{} // closed when the limit is reached
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.discarded == 0 && b.buf.Len()+len(p) <= b.limit {
		return b.buf.Write(p)
	}
	if b.discarded == 0 {
		close(b.full)
	}
	b.discarded += int64(len(p))
	return len(p), nil
}

// bytes returns what was kept, after the end of the stream.
func (b *bounded) bytes() []byte { return b.buf.Bytes() }

// part is the part of a trace of which profiles are made.
type part struct {
	kinds    []Kind
	from, to time.Time
	sampled  time.Duration   // 0 for events
	ticks    codec.TimeRange // of the events
}

// Trace is a recording of which profiles are made, with the names that its stacks
// need.
type Trace struct {
	Process eventpipe.Process // the recorded process
	Kinds   []Kind            // of the profiles
	Start   time.Time         // of the window
	Time    codec.TimeRange   // of the events that belong to the window
	Data    []byte            // in the format NetTrace; it stays valid
}

// profiles makes the profiles of a trace without names. The caller holds building.
func (l *life) profiles(trace []byte, extra iter.Seq[record.Addition], of part) error {
	named, err := l.withNames(trace, extra)
	if err != nil && len(named) == 0 {
		return err
	}
	if l.opt.OnTrace != nil {
		l.opt.OnTrace(&Trace{Process: l.process, Kinds: of.kinds, Start: of.from, Time: of.ticks, Data: named})
	}
	opt := profile.Options{Time: of.ticks}
	for _, k := range of.kinds {
		opt.Types = append(opt.Types, kinds[k].of)
	}
	p, failed := profile.FromReader(context.Background(), codec.NewBytesReader(named, codec.Options{}), opt)
	if p == nil {
		return errors.Join(err, failed)
	}
	for _, k := range of.kinds {
		w := &Window{Process: l.process, Info: l.info, Kind: k, Start: of.from, End: of.to}
		w.setPprof(p, of.sampled)
		l.send(w)
	}
	return errors.Join(err, failed)
}

// buffers have the traces of which profiles are made, one process after the other.
type buffers struct{ events, named buffer }

// buffer is memory that is used again.
type buffer struct{ bytes.Buffer }

// maxReused is the size in bytes above which a buffer is not used again.
const maxReused = 4 << 20

// empty returns the buffer without content, with room for size bytes.
func (b *buffer) empty(size int) *bytes.Buffer {
	if b.Reset(); b.Cap() > maxReused {
		b.Buffer = bytes.Buffer{}
	}
	b.Grow(size)
	return &b.Buffer
}

// withNames returns a trace with the names of its addresses and other additions. It
// is valid until the next call. The caller holds building.
func (l *life) withNames(trace []byte, extra iter.Seq[record.Addition]) ([]byte, error) {
	addresses, _ := record.Addresses(bytes.NewReader(trace)) // Run returns the error
	const namesSize = 128 << 10
	out := l.buffers.named.empty(len(trace) + namesSize)
	if l.opt.OnTrace != nil { // which can keep it
		out = new(bytes.Buffer)
	}
	file, err := record.NewStream(out, record.Uncompressed)
	if err != nil {
		return nil, err
	}
	add := func(*record.Report) iter.Seq[record.Addition] { return record.Concat(l.names.For(addresses), extra) }
	report, err := record.New(record.Options{Additions: add}).Run(context.Background(), bytes.NewReader(trace), file)
	return out.Bytes(), errors.Join(err, report.NotAdded, file.Close())
}
