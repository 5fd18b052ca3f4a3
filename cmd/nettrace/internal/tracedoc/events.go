package tracedoc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/view"
)

// Events reads the events of a trace, again for each request. It is safe for concurrent use.
type Events struct {
	name  string // of the trace
	open  func() (*input.File, error)
	trace *analysis.Trace
	how   Reading // as in Read
	heap  *heapDump

	mu      sync.Mutex
	matched map[string]int64 // number of events, by filter
}

// Open opens the trace again.
func (e *Events) Open() (*input.File, error) { return e.open() }

// Reading returns how the samples are read.
func (e *Events) Reading() Reading { return e.how }

// Name returns the name of the trace, without folders.
func (e *Events) Name() string { return e.name }

// EventList is a part of the events that match a filter.
type EventList struct {
	Matched int64   `json:"matched"` // number of all of them
	Offsets []int64 `json:"offsets"` // codec.Event.Offset of each event of the part
	// Events are the lines that "nettrace events --format ndjson --fields --stacks" prints.
	Events []json.RawMessage `json:"events"`
}

// Flags returns the flags that choose events, with the values of a query. A key that is no
// such flag is an error.
func Flags(query url.Values) (*filter.Criteria, error) {
	var c filter.Criteria
	cmd := &cobra.Command{Use: "events"}
	c.AddFlags(cmd)
	return &c, SetFlags(cmd, query)
}

// SetFlags sets the flags of a command to the values of a query. A key that is no flag of the
// command is an error. An empty value is one of a flag without a value.
func SetFlags(cmd *cobra.Command, query url.Values) error {
	for name, values := range query {
		flag := cmd.Flags().Lookup(name)
		if flag == nil {
			return fmt.Errorf("--%s is no flag of %s", name, cmd.Use)
		}
		for _, value := range values {
			if value == "" {
				value = flag.NoOptDefVal
			}
			if err := set(flag, value); err != nil {
				return fmt.Errorf("--%s: %w", name, err)
			}
		}
	}
	return nil
}

// expressions are the flags whose values are regular expressions, in which a comma ends none.
var expressions = []string{"focus", "ignore", "hide", "only"}

// set sets a flag, or adds to a list.
func set(flag *pflag.Flag, text string) error {
	list, ok := flag.Value.(pflag.SliceValue)
	switch {
	case text == "":
		return nil
	case ok && slices.Contains(expressions, flag.Name):
		return list.Append(text)
	}
	return flag.Value.Set(text)
}

// List returns limit of the events that match, without the first ones.
func (e *Events) List(ctx context.Context, flags *filter.Criteria, after, limit int64) (*EventList, error) {
	key := fmt.Sprintf("%q", *flags)
	e.mu.Lock()
	known, counted := e.matched[key]
	e.mu.Unlock()
	l := &eventLines{after: after, limit: limit, counted: counted, list: EventList{Offsets: []int64{}, Events: []json.RawMessage{}}}
	if err := e.scan(ctx, flags, l.add); err != nil {
		return nil, err
	}
	if !counted {
		e.mu.Lock()
		e.matched[key] = l.list.Matched
		e.mu.Unlock()
	} else {
		l.list.Matched = known
	}
	return l.result(), nil
}

// eventLines collects the lines of a list.
type eventLines struct {
	after, limit int64
	counted      bool // the number of events that match is known
	list         EventList
	text         bytes.Buffer
	lines        *ndjson.Writer
}

// add adds an event, and reports whether to continue.
func (l *eventLines) add(trace *codec.Trace, ev *codec.Event) bool {
	if l.lines == nil {
		l.lines = ndjson.NewWriter(&l.text, ndjson.Options{Fields: true, Stacks: true})
		_ = l.lines.Trace(trace) // a buffer returns no error
	}
	l.list.Matched++
	if at := l.list.Matched - 1; at >= l.after && at-l.after < l.limit {
		_ = l.lines.Event(ev)
		l.list.Offsets = append(l.list.Offsets, ev.Offset())
	}
	return !l.counted || l.list.Matched < l.after+l.limit
}

// result returns the list.
func (l *eventLines) result() *EventList {
	if l.lines != nil {
		_ = l.lines.Flush()
		lines := bytes.Split(bytes.TrimSuffix(l.text.Bytes(), []byte("\n")), []byte("\n"))
		for _, line := range lines[1:] { // after the line of the trace
			l.list.Events = append(l.list.Events, line)
		}
	}
	return &l.list
}

// eventsBetweenLooks is the number of events between two looks at the context.
const eventsBetweenLooks = 4096

// scan calls add for each event that matches, up to an error of the trace, in the order of
// the file.
func (e *Events) scan(ctx context.Context, flags *filter.Criteria, add func(*codec.Trace, *codec.Event) bool) error {
	wanted, err := flags.Parse()
	if err != nil {
		return err
	}
	period, err := flags.Period()
	if err != nil {
		return err
	}
	in, err := e.open()
	if err != nil {
		return err
	}
	defer in.Close()
	r := codec.NewReader(in, input.ReaderOptions(false))
	trace, err := r.Trace()
	if err != nil {
		return err
	}
	window, err := period.Ticks(trace)
	if err != nil {
		return err
	}
	wanted.SetTime(window)
	n := 0
	for ev, err := range r.Events() {
		if err != nil {
			return nil // the document has the error, and the page shows it
		}
		if n++; n%eventsBetweenLooks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if wanted.Match(ev) && !add(trace, ev) {
			break
		}
	}
	return nil
}

// Profile returns a document with the stacks of the events that match, which have the type
// event.
func (e *Events) Profile(ctx context.Context, flags *filter.Criteria, helpers bool) ([]byte, error) {
	wanted, err := flags.Parse()
	if err != nil {
		return nil, err
	}
	return e.document(ctx, wanted.Match, helpers)
}

// Stacks returns a document with the stacks of the events at these offsets.
func (e *Events) Stacks(ctx context.Context, offsets []int64, helpers bool) ([]byte, error) {
	chosen := map[int64]bool{}
	for _, offset := range offsets {
		chosen[offset] = true
	}
	return e.document(ctx, func(ev *codec.Event) bool { return chosen[ev.Offset()] }, helpers)
}

// document returns a document with the stacks of events, with or without the frames of the
// runtime's helpers.
func (e *Events) document(ctx context.Context, choose func(*codec.Event) bool, helpers bool) ([]byte, error) {
	in, err := e.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	request, err := e.how.Requests.Filter()
	if err != nil {
		return nil, err
	}
	p, err := profile.FromReader(ctx, codec.NewReader(in, input.ReaderOptions(false)), profile.Options{
		Types: []profile.Type{profile.Event}, Select: choose, RuntimeHelpers: helpers, Limits: profile.LargeLimits(), Async: e.how.Async, Physical: e.how.Physical, Filter: profile.Filter{Request: request},
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case p == nil:
		return nil, err
	}
	s := view.Source{Tool: tool(), File: e.name, Profile: p, Trace: e.trace}
	return s.Encode()
}

// maxKept is the largest number of events of a report.
const maxKept = 200_000

// All returns the first events, at most 200,000, as a compressed EventList, the document with
// their stacks, and the number of the other events.
func (e *Events) All(ctx context.Context) (events, stacks []byte, left int64, err error) {
	list, err := newPackedList()
	if err != nil {
		return nil, nil, 0, err
	}
	if err := e.scan(ctx, &filter.Criteria{}, list.add); err != nil {
		return nil, nil, 0, err
	}
	if events, err = list.end(); err != nil {
		return nil, nil, 0, err
	}
	last := int64(-1)
	if n := len(list.offsets); n > 0 {
		last = list.offsets[n-1]
	}
	stacks, err = e.document(ctx, func(ev *codec.Event) bool { return ev.Offset() <= last }, true) // the page folds the frames of helpers
	return events, stacks, list.matched - int64(len(list.offsets)), err
}

// packedList compresses an EventList while it is read: as text it is ten times as large as
// its trace.
type packedList struct {
	packed  bytes.Buffer
	gzip    *gzip.Writer
	lines   *ndjson.Writer // to elements, nil before the first event
	offsets []int64
	matched int64
}

func newPackedList() (*packedList, error) {
	l := &packedList{}
	var err error
	l.gzip, err = gzip.NewWriterLevel(&l.packed, gzip.DefaultCompression)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(l.gzip, `{"events":[`)
	return l, err
}

// add adds an event, and reports whether to continue. A buffer returns no error.
func (l *packedList) add(trace *codec.Trace, ev *codec.Event) bool {
	if l.lines == nil {
		l.lines = ndjson.NewWriter(&elements{to: l.gzip}, ndjson.Options{Fields: true, Stacks: true})
		_ = l.lines.Trace(trace)
	}
	if l.matched++; l.matched <= maxKept {
		_ = l.lines.Event(ev)
		l.offsets = append(l.offsets, ev.Offset())
	}
	return true
}

// end returns the compressed list.
func (l *packedList) end() ([]byte, error) {
	if l.lines != nil {
		if err := l.lines.Flush(); err != nil {
			return nil, err
		}
	}
	rest := []byte(`],"offsets":[`)
	for i, offset := range l.offsets {
		if i > 0 {
			rest = append(rest, ',')
		}
		rest = strconv.AppendInt(rest, offset, 10)
	}
	rest = strconv.AppendInt(append(rest, `],"matched":`...), l.matched, 10)
	if _, err := l.gzip.Write(append(rest, '}')); err != nil {
		return nil, err
	}
	err := l.gzip.Close()
	return l.packed.Bytes(), err
}

// elements writes lines as the elements of an array of JSON, without the first line, which is
// that of the trace.
type elements struct {
	to    io.Writer
	lines int // complete ones
	begun bool
}

func (e *elements) Write(text []byte) (int, error) {
	for part := range bytes.Lines(text) {
		line, complete := bytes.CutSuffix(part, []byte("\n"))
		if e.lines > 1 && !e.begun {
			if _, err := io.WriteString(e.to, ","); err != nil {
				return 0, err
			}
		}
		if e.lines > 0 {
			if _, err := e.to.Write(line); err != nil {
				return 0, err
			}
		}
		if e.begun = !complete; complete {
			e.lines++
		}
	}
	return len(text), nil
}

// compress returns a value as JSON, compressed.
func compress(v any) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
