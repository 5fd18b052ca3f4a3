package summary

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// trace is what a Builder adds of a trace.
type trace struct {
	fingerprint string // of the stream
	lost        int64
	events      []*Event
	profile     *profile.Profile
	gc          []analysis.Report
	requests    []analysis.Report
}

// readTrace reads a trace twice: once for its samples, once for the rest. On an error it
// returns what comes before that place, nil if the trace has no header.
func readTrace(ctx context.Context, opt *Options, f File) (*trace, error) {
	t := &trace{}
	var bad error
	stream := sha256.New()
	err := read(f, stream, opt.Reader, func(r *codec.Reader) (err error) {
		t.profile, err = profile.FromReader(ctx, r, profile.Options{Limits: opt.Profile})
		return err
	})
	if t.profile == nil {
		return nil, err
	}
	ordered := opt.Reader
	ordered.Order = codec.ByTime
	counts, collections, served := &eventCounts{}, gc.New(), requests.New()
	again := read(f, nil, ordered, func(r *codec.Reader) error {
		a, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{counts, collections, served}, Limits: opt.Analysis})
		if a == nil {
			return err
		}
		t.lost, t.events = int64(a.Lost), counts.list
		t.gc, t.requests = collections.Reports(a), served.Reports(a)
		bad = errors.Join(skipped(r), undefined(r))
		if n := rowsLeftOut(t); n > 0 {
			bad = errors.Join(bad, fmt.Errorf("%d collections and requests are left out: the trace exceeds the limits", n))
		}
		if err == nil {
			var after int64
			if after, err = r.TrailingBytes(); after > 0 {
				bad = errors.Join(bad, fmt.Errorf("%d bytes after the end mark are not read", after))
			}
		}
		return err
	})
	for _, e := range []error{err, again, bad} {
		if e != nil {
			t.partialFingerprint(stream)
			return t, e
		}
	}
	t.fingerprint = hex.EncodeToString(stream.Sum(nil))
	return t, nil
}

// partialFingerprint sets the fingerprint of a trace that cannot be read to its end: how many
// bytes come before an error depends on the buffers, so that it is made of the events.
func (t *trace) partialFingerprint(h hash.Hash) {
	h.Reset()
	fmt.Fprintf(h, "partial %d %d %d %d\n", t.profile.Trace.SyncTime.UnixNano(), t.profile.Start, t.profile.End, t.lost)
	for _, e := range t.events {
		fmt.Fprintf(h, "%+v\n", *e)
	}
	t.fingerprint = hex.EncodeToString(h.Sum(nil))
}

// rowsLeftOut returns the number of collections and requests above the limit.
func rowsLeftOut(t *trace) (n int64) {
	for _, report := range t.gc {
		if totals, ok := report.Totals.(*gc.Totals); ok { // nil without collections
			n += totals.RowsLeftOut
		}
	}
	for _, report := range t.requests {
		if totals, ok := report.Totals.(*requests.Totals); ok {
			n += totals.RowsLeftOut
		}
	}
	return n
}

// read opens a file and calls pass with a Reader. All bytes of the stream go to copied, if it
// is not nil.
func read(f File, copied io.Writer, opt codec.Options, pass func(r *codec.Reader) error) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	if copied == nil {
		return pass(codec.NewReader(in, opt))
	}
	watched := io.TeeReader(in, copied)
	if err := pass(codec.NewReader(watched, opt)); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, watched) // an error of the stream is one of the other pass
	return nil
}

// skipped returns an error if the Reader left out bad blocks.
func skipped(r *codec.Reader) error {
	n, first := r.BadBlocks()
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d malformed blocks are left out; the first: %w", n, first)
}

// undefined returns an error if the Reader has events of undefined metadata, which the passes
// leave out.
func undefined(r *codec.Reader) error {
	for _, d := range r.Defects() {
		if d.Rule == rule.REF001 {
			return fmt.Errorf("%d events of undefined metadata are left out; the first: %v", d.Count, d.Err)
		}
	}
	return nil
}

// eventCounts counts the events of each type. It is a Part without reports.
type eventCounts struct{ list []*Event }

// Name implements analysis.Part.
func (c *eventCounts) Name() string { return "events" }

// Begin implements analysis.Part.
func (c *eventCounts) Begin(*analysis.Trace) {}

// Handler implements analysis.Part: it handles all events.
func (c *eventCounts) Handler(m *codec.Metadata) analysis.Handler {
	var e *Event
	return func(ev *codec.Event) {
		if e == nil {
			e = &Event{Provider: m.Provider, ID: int64(m.EventID), Name: ev.Name()}
			c.list = append(c.list, e)
		}
		e.Count++
		e.Bytes += int64(len(ev.Payload()))
	}
}

// Lost implements analysis.Part.
func (c *eventCounts) Lost(analysis.Thread) {}

// Reports implements analysis.Part: there are none.
func (c *eventCounts) Reports(*analysis.Trace) []analysis.Report { return nil }

// addSamples adds the samples of all types.
func (b *Builder) addSamples(p *profile.Profile) error {
	names := calltree.NewNames(p, func(f *profile.Function) calltree.Name {
		if strings.HasPrefix(f.Name, "?!0x") {
			return calltree.Name{Text: NoName}
		}
		return calltree.Name{Text: f.Name, Module: f.Module}
	})
	nodes := map[profile.StackID]int32{}
	var path []uint32
	for _, of := range p.Types() {
		classes := of.ClassLabel()
		for s := range p.Totals(of) {
			node, ok := nodes[s.Stack]
			if !ok {
				path = names.Path(path, s.Stack)
				for _, name := range path {
					n := names.List[name]
					node = b.child(node, b.functionNumber(Function{Module: valid(n.Module), Name: valid(n.Text)}))
				}
				nodes[s.Stack] = node
			}
			b.seriesOf(of.String(), stateOf(p, &s.Sample), of.Value().Unit).add(node, s.Samples, s.Value)
			if classes != "" {
				key := textKey{of.String(), valid(classOf(p, &s.Sample, classes))}
				b.classes[key] = b.classes[key].plus(s.Samples, s.Value)
			}
		}
	}
	return b.checkSize()
}

// stateOf returns the state of a sample, "" for a type without states.
func stateOf(p *profile.Profile, s *profile.Sample) string {
	if s.Type != profile.Wall && s.Type != profile.CPUApprox {
		return ""
	}
	state, _ := p.State(s)
	return state.String()
}

// classOf returns the value of a label, "" if the sample does not have it.
func classOf(p *profile.Profile, s *profile.Sample, key string) string {
	for _, l := range p.Labels(s) {
		if l.Key == key {
			return l.Text
		}
	}
	return ""
}

// addDurations adds the durations of pauses, requests, waits and locks.
func (b *Builder) addDurations(t *trace) error {
	var failed error
	list := func(yield func(kind, key string, nanos int64, finished bool) bool) {
		if !eachRow(t.gc, func(row gc.Row) bool {
			pause, known := row.PauseNs.Get()
			return !known || yield(GCPauses, collection(&row), pause, !row.Unfinished)
		}) {
			return
		}
		if !eachRow(t.requests, func(row requests.Row) bool {
			nanos, known := row.DurationNs.Get()
			if row.State == requests.Unfinished || known && row.State == requests.Completed {
				return yield(Requests, request(&row), nanos, row.State == requests.Completed)
			}
			var d *durations
			if d, failed = b.durationsOf(Requests, request(&row)); failed == nil {
				d.Unknown++
			}
			return failed == nil
		}) {
			return
		}
		for kind, of := range map[string]profile.Type{Waits: profile.Wait, Locks: profile.Lock} {
			for s := range t.profile.Samples(of) {
				key := ""
				if label := of.ClassLabel(); label != "" {
					key = classOf(t.profile, &s, label)
				}
				if !yield(kind, key, s.Value, !s.Unfinished) {
					return
				}
			}
		}
	}
	list(func(kind, key string, nanos int64, finished bool) bool {
		d, err := b.durationsOf(kind, key)
		switch {
		case err != nil:
		case finished:
			err = d.add(nanos)
		default:
			d.Unfinished++
		}
		failed = err
		return err == nil
	})
	if failed != nil {
		return failed
	}
	return b.checkSize()
}

// eachRow calls yield for the rows of the reports of all processes until it returns false.
func eachRow[R any](reports []analysis.Report, yield func(R) bool) bool {
	for _, report := range reports {
		rows, _ := report.Rows.([]R)
		for _, row := range rows {
			if !yield(row) {
				return false
			}
		}
	}
	return true
}

// collection returns the key of a collection: "generation 2, background".
func collection(row *gc.Row) string {
	if n, known := row.Generation.Get(); known {
		return fmt.Sprintf("generation %d, %s", n, row.Type)
	}
	return string(row.Type)
}

// request returns the key of a request: "incoming GET /orders/{n}".
func request(row *requests.Row) string {
	return strings.Join(strings.Fields(string(row.Direction)+" "+row.Method+" "+row.Origin+row.Route), " ")
}
