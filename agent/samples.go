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

// readingEvery is the time between two readings of the processor time of threads, as in collect.
const readingEvery = time.Second

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
	if err := l.sampled(data.bytes(), list, part{kinds: wanted, from: l.sampledTo, to: to, sampled: sampled}); err != nil && !full && l.goesOn(ctx) {
		l.problem(&l.process, fmt.Errorf("the samples of a window: %w", err))
	}
	l.sampledTo = to
	return nil
}

// errNoSamples is the error of a session of samples without a byte.
var errNoSamples = errors.New("the runtime sends nothing: the process is suspended at its start, or ended the session")

// sampled makes the profiles of a session of samples.
func (l *life) sampled(trace []byte, times iter.Seq[record.Addition], of part) error {
	if len(trace) == 0 {
		return errNoSamples
	}
	l.building.Lock()
	defer l.building.Unlock()
	return l.profiles(func(w io.Writer) error { return l.writeNamed(w, trace, times) }, of)
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

// profiles makes the profiles of the trace that a function writes, while it writes: a trace
// in memory would be most of what the agent needs. The caller holds building.
func (l *life) profiles(write func(io.Writer) error, of part) error {
	opt := profile.Options{Time: of.ticks, NoLabels: true}
	for _, k := range of.kinds {
		opt.Types = append(opt.Types, kinds[k].of)
	}
	if l.opt.OnTrace != nil {
		write = l.shown(write, of)
	}
	src, dst := io.Pipe()
	written := make(chan error, 1)
	go func() {
		written <- write(dst)
		dst.Close()
	}()
	p, failed := profile.FromReader(context.Background(), codec.NewReader(src, codec.Options{}), opt)
	_, _ = io.Copy(io.Discard, src) // after an error of FromReader
	err := errors.Join(<-written, failed)
	if p == nil {
		return err
	}
	if of.sampled > 0 && p.Lost > 0 { // the session of events counts its own
		l.problem(&l.process, fmt.Errorf("the profiles of samples of a window are incomplete: the runtime dropped %d events", p.Lost))
	}
	for _, k := range of.kinds {
		w := &Window{Process: l.process, Info: l.info, Kind: k, Start: of.from, End: of.to}
		w.setPprof(p, of.sampled, l.opt.Scaled)
		l.send(w)
	}
	return err
}

// shown returns a function that writes a trace, which it has given to OnTrace.
func (l *life) shown(write func(io.Writer) error, of part) func(io.Writer) error {
	return func(w io.Writer) error {
		var data bytes.Buffer
		err := write(&data)
		if data.Len() > 0 {
			l.opt.OnTrace(&Trace{Process: l.process, Kinds: of.kinds, Start: of.from, Time: of.ticks, Data: data.Bytes()})
		}
		_, failed := w.Write(data.Bytes())
		return errors.Join(err, failed)
	}
}

// writeNamed writes a trace with the names of its addresses and other additions.
func (l *life) writeNamed(w io.Writer, trace []byte, extra iter.Seq[record.Addition]) error {
	addresses, _ := record.Addresses(bytes.NewReader(trace)) // Run returns the error
	file, err := record.NewStream(w, record.Uncompressed)
	if err != nil {
		return err
	}
	add := func(*record.Report) iter.Seq[record.Addition] { return record.Concat(l.names.For(addresses), extra) }
	report, err := record.New(record.Options{Additions: add}).Run(context.Background(), bytes.NewReader(trace), file)
	if err == nil && !report.Ended {
		err = codec.ErrTruncated
	}
	return errors.Join(err, report.BadBlock, report.NotAdded, file.Close())
}
