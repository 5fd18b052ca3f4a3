package exceptions

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// Row is about the exceptions of one type and message pattern that one method threw
// and one method caught. Unknown Numbers are not in JSON.
type Row struct {
	Type    string `json:"type"`              // in C# syntax
	Message string `json:"message"`           // with * in place of numbers, GUIDs and hexadecimal words
	Example string `json:"example,omitempty"` // the first message, if it differs
	Thrower string `json:"thrower,omitempty"` // the method that threw, or that was awaiting
	Catcher string `json:"catcher,omitempty"` // the method whose catch block took it last; empty: none did, or it is unknown

	Throws           int64 `json:"throws"`           // by the statement throw, or by the runtime
	AwaitRethrows    int64 `json:"awaitRethrows"`    // throws again by an await
	DispatchRethrows int64 `json:"dispatchRethrows"` // throws again by other calls of ExceptionDispatchInfo.Throw
	CatchRethrows    int64 `json:"catchRethrows"`    // by the statement "throw;": further catches of the same exception

	Handled      int64   `json:"handled"`         // that ended
	Superseded   int64   `json:"superseded"`      // by another exception, from a catch or finally block
	Wrapped      int64   `json:"wrapped"`         // of them those by one that has an inner exception
	Replaced     int64   `json:"replaced"`        // of them those by one without an inner exception
	Swallowed    int64   `json:"swallowed"`       // that left a filter
	Unhandled    int64   `json:"unhandled"`       // that ended the process
	InFlight     int64   `json:"inFlight"`        // open at the end of the recording
	EndsUnknown  int64   `json:"endsUnknown"`     // events of the thread are lost, or the trace has no ends
	WithInner    int64   `json:"withInner"`       // that have an inner exception
	FirstNs      int64   `json:"firstNs"`         // the first throw, since the trace's sync time
	LastNs       int64   `json:"lastNs"`          // the last throw
	ThrowsPerSec float64 `json:"throwsPerSecond"` // Throws, over the recording

	Request string   `json:"request,omitempty"` // id of the incoming request that all of them belong to
	Stack   []string `json:"stack,omitempty"`   // of the first throw, leaf first; with the methods that awaited it if Async says so
	Async   string   `json:"async,omitempty"`   // how those were found: async-profiler, physical (none needed) or unknown; "" without records of the async profiler
	// AsyncLeft is the number of async methods that the exceptions left, all together. It is
	// known if the records of the async profiler cover all of the throws.
	AsyncLeft   analysis.Number `json:"asyncFramesLeft,omitzero"`
	model.Place                 // of the first throw in the thrower
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "type", Doc: "type of the exception, in C# syntax", Head: "type", Form: analysis.Method, Blank: true, Of: func(r *Row) any { return r.Type }},
		{Key: "message", Doc: "with * in place of numbers, GUIDs and hexadecimal words", Head: "message", Form: analysis.Cut, Blank: true, Of: func(r *Row) any { return r.Message }},
		{Key: "example", Doc: "the first message, if it differs", Of: func(r *Row) any { return r.Example }},
		{Key: "thrower", Doc: "the method that threw, or that was awaiting", Head: "thrown by", Form: analysis.Method, Of: func(r *Row) any { return r.Thrower }, Show: func(r *Row) any { return analysis.Site{Method: r.Thrower, Place: r.Place} }},
		{Key: "catcher", Doc: "the method whose catch block took it last", Head: "caught by", Form: analysis.Method, Of: func(r *Row) any { return r.Catcher }},
		{Key: "throws", Doc: "by the statement throw, or by the runtime", Head: "throws", Of: func(r *Row) any { return r.Throws }, Show: func(r *Row) any { return some(r.Throws) }},
		{Key: "awaitRethrows", Doc: "throws again by an await", Head: "awaits", Of: func(r *Row) any { return r.AwaitRethrows }, Show: func(r *Row) any { return some(r.AwaitRethrows) }},
		{Key: "dispatchRethrows", Doc: "throws again by other calls of ExceptionDispatchInfo.Throw", Head: "dispatched", Wide: true, Of: func(r *Row) any { return r.DispatchRethrows }, Show: func(r *Row) any { return some(r.DispatchRethrows) }},
		{Key: "catchRethrows", Doc: "further catches after the statement throw without an exception", Head: "rethrows", Wide: true, Of: func(r *Row) any { return r.CatchRethrows }, Show: func(r *Row) any { return some(r.CatchRethrows) }},
		{Key: "handled", Doc: "throws that ended in a catch block", Of: func(r *Row) any { return r.Handled }},
		{Key: "superseded", Doc: "by another exception, from a catch or finally block", Head: "superseded", Wide: true, Of: func(r *Row) any { return r.Superseded }, Show: func(r *Row) any { return some(r.Superseded) }},
		{Key: "wrapped", Doc: "of them, by one that has an inner exception", Of: func(r *Row) any { return r.Wrapped }},
		{Key: "replaced", Doc: "of them, by one without an inner exception", Of: func(r *Row) any { return r.Replaced }},
		{Key: "swallowed", Doc: "that left a filter", Of: func(r *Row) any { return r.Swallowed }},
		{Key: "unhandled", Doc: "that ended the process", Of: func(r *Row) any { return r.Unhandled }},
		{Key: "inFlight", Doc: "open at the end of the recording", Of: func(r *Row) any { return r.InFlight }},
		{Key: "endsUnknown", Doc: "events of the thread are lost, or the trace has no ends", Of: func(r *Row) any { return r.EndsUnknown }},
		{Key: "withInner", Doc: "that have an inner exception", Of: func(r *Row) any { return r.WithInner }},
		{Key: "firstNs", Doc: "the first throw", Head: "first s", Form: analysis.Instant, Wide: true, Of: func(r *Row) any { return r.FirstNs }},
		{Key: "lastNs", Doc: "the last throw", Head: "last s", Form: analysis.Instant, Wide: true, Of: func(r *Row) any { return r.LastNs }},
		{Key: "throwsPerSecond", Doc: "throws, over the recording", Of: func(r *Row) any { return r.ThrowsPerSec }},
		{Key: "request", Doc: "id of the incoming request that all of them belong to", Of: func(r *Row) any { return r.Request }},
		{Key: "stack", Doc: "of the first throw, the innermost method first"},
		{Key: "async", Doc: "how the methods that awaited it were found", Of: func(r *Row) any { return r.Async }},
		{Key: "asyncFramesLeft", Doc: "async methods that the exceptions left", Head: "left", Wide: true, Seldom: true, Of: func(r *Row) any { return r.AsyncLeft }},
		{Key: "file", Doc: "source file of the method", Of: func(r *Row) any { return r.File }},
		{Key: "line", Doc: "line in it, from 1", Of: func(r *Row) any { return r.Line }},
	},
	Text:    "throws awaitRethrows dispatchRethrows catchRethrows superseded asyncFramesLeft firstNs lastNs type message thrower catcher",
	Page:    "throws type message thrower catcher handled unhandled firstNs",
	Samples: "exceptions",
}

// Thrown returns the number of ExceptionThrown events.
func (r *Row) Thrown() int64 { return r.Throws + r.AwaitRethrows + r.DispatchRethrows }

// Totals are the totals of one process. Unknown Numbers are not in JSON.
type Totals struct {
	Thrown           int64           `json:"thrown"`                    // ExceptionThrown events
	Throws           analysis.Number `json:"throws,omitzero"`           // of them those that are no rethrows; unknown if no stack has names
	Rethrown         analysis.Number `json:"rethrown,omitzero"`         // of them throws again by ExceptionDispatchInfo.Throw: AwaitRethrows and DispatchRethrows
	AwaitRethrows    analysis.Number `json:"awaitRethrows,omitzero"`    // of them those by an await
	DispatchRethrows analysis.Number `json:"dispatchRethrows,omitzero"` // of them those by other calls
	CatchRethrows    int64           `json:"catchRethrows"`             // by the statement "throw;": further catches of the same exception
	Handled          int64           `json:"handled"`                   // that ended
	Superseded       int64           `json:"superseded"`                // by another exception, from a catch or finally block
	Wrapped          int64           `json:"wrapped"`                   // of them those by one that has an inner exception
	Replaced         int64           `json:"replaced"`                  // of them those by one without an inner exception
	Swallowed        int64           `json:"swallowed"`                 // that left a filter
	Unhandled        int64           `json:"unhandled"`                 // that ended the process
	InFlight         int64           `json:"inFlight"`                  // open at the end of the recording
	EndsUnknown      int64           `json:"endsUnknown"`               // events of the thread are lost, or the trace has no ends
	BeganBefore      int64           `json:"beganBefore"`               // catches of exceptions that are not in the trace, or were thrown on another thread
	ThrowersUnknown  int64           `json:"throwersUnknown"`           // ExceptionThrown events without a named frame
	ThrownLeftOut    int64           `json:"thrownLeftOut"`             // without a row because of the limit
	Truncated        bool            `json:"truncated"`                 // no end mark: an unhandled exception may be missing

	ObservedNs int64 `json:"observedNs"` // length of the recording
	// Of the throws that are no rethrows; of all ExceptionThrown events if Throws is unknown.
	ThrownPerSecond    float64         `json:"thrownPerSecond"`             // over the recording
	MaxThrownPerSecond analysis.Number `json:"maxThrownPerSecond,omitzero"` // in the second with the most; unknown with too many stacks

	// Requests are those with exceptions, the most first. They and the numbers after
	// them are only there if the trace has events about requests.
	Requests        []Request       `json:"requests,omitempty"`
	ThrownAmbiguous analysis.Number `json:"thrownAmbiguous,omitzero"` // that can belong to several requests
	ThrownNoRequest analysis.Number `json:"thrownNoRequest,omitzero"` // outside of requests
}

// report makes the report of a process after the last event.
func (p *process) report() analysis.Report {
	end, known := p.open, p.catches > 0 || p.filters
	if !known {
		end = (*counts).unknownEnd
	}
	for _, id := range slices.SortedFunc(maps.Keys(p.threads), func(a, b analysis.Thread) int { return cmp.Compare(a.ID, b.ID) }) {
		p.end(p.threads[id], 0, end)
		p.keep(p.threads[id])
	}
	if !known {
		p.forgetEnds()
	}
	report := analysis.NewReport(Name, p.id)
	totals := &Totals{}
	from, to := p.trace.Bounds(p.id)
	totals.ObservedNs = p.trace.Between(from, to)
	rows := p.rows(totals, p.join(totals))
	p.sum(rows, totals)
	report.Rows, report.Totals = rows, totals
	report.Findings = analysis.Findings(rules, rows, totals)
	if !known {
		report.NotRecorded = append(report.NotRecorded, catches)
	}
	return report
}

// forgetEnds makes the ends of all exceptions unknown: without events about catches
// none is known to be superseded.
func (p *process) forgetEnds() {
	for _, c := range p.groups {
		c.forgetEnds()
	}
	p.withoutRow.forgetEnds()
}

// rows merges the groups whose stacks have the same thrower. owners has the requests of each group, without
// the catcher.
func (p *process) rows(totals *Totals, owners map[group]model.Sole) []Row {
	type key struct{ typ, message, thrower, catcher string }
	index := map[key]int{}
	rows, sums, owned, left := []Row{}, []counts{}, []*incoming.Request{}, []asyncLeft{}
	async := p.asyncThrows()
	for _, g := range p.order {
		c := p.groups[g]
		frames := p.trace.Frames(g.stack, c.first)
		names := analysis.Names(frames)
		how := throwerOf(frames)
		k := key{typ: symbols.TypeName(p.texts.list[g.typ]), message: p.texts.list[g.pattern], catcher: methodName(p.texts.list[g.catcher])}
		if how.index >= 0 {
			k.thrower = names[how.index]
		} else {
			totals.ThrowersUnknown += c.thrown
		}
		thrown := g
		thrown.catcher = 0
		owner := owners[thrown].Request
		i, ok := index[k]
		if ok && owned[i] != owner {
			owned[i] = nil
		}
		if !ok {
			owned = append(owned, owner)
			i = len(rows)
			index[k] = i
			of := async[g].first
			if of.stack != nil {
				names = of.stack
			}
			rows = append(rows, Row{Type: k.typ, Message: k.message, Example: p.texts.examples[g.pattern], Thrower: k.thrower, Catcher: k.catcher, Stack: names, Async: of.how, Place: p.trace.PlaceOf(frames, how.index)})
			sums, left = append(sums, counts{}), append(left, asyncLeft{})
		}
		*rows[i].kind(how.kind) += c.thrown
		left[i].add(async[g].left)
		p.again[g.stack] = how.kind != thrownFirst
		if g.inner {
			rows[i].WithInner += c.thrown
		}
		sums[i].plus(c)
	}
	for i := range rows {
		r, c := &rows[i], &sums[i]
		if owned[i] != nil {
			r.Request = owned[i].ID
		}
		if left[i].throws > 0 && left[i].throws == r.Thrown() {
			r.AsyncLeft = analysis.Known(left[i].frames)
		}
		r.CatchRethrows, r.Handled, r.Superseded, r.Swallowed = c.rethrows, c.handled, c.superseded, c.swallowed
		r.Wrapped, r.Replaced = c.wrapped, c.replaced
		r.Unhandled, r.InFlight, r.EndsUnknown = c.unhandled, c.inFlight, c.unknown
		r.FirstNs, r.LastNs = p.trace.Nanos(c.first), p.trace.Nanos(c.last)
		r.ThrowsPerSec = perSecond(r.Throws, totals.ObservedNs)
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Thrown(), a.Thrown()), cmp.Compare(a.FirstNs, b.FirstNs))
	})
	return rows
}

// kind returns the count of a kind of throw.
func (r *Row) kind(k kind) *int64 {
	return [...]*int64{&r.Throws, &r.AwaitRethrows, &r.DispatchRethrows}[k]
}

// sum sums up the groups and the rows.
func (p *process) sum(rows []Row, t *Totals) {
	all := p.withoutRow
	t.ThrownLeftOut = all.thrown
	for _, c := range p.groups {
		all.plus(c)
	}
	for i := range rows {
		if r := &rows[i]; t.ThrowersUnknown < p.events-t.ThrownLeftOut {
			t.Throws, t.Rethrown = t.Throws.Add(r.Throws), t.Rethrown.Add(r.AwaitRethrows+r.DispatchRethrows)
			t.AwaitRethrows, t.DispatchRethrows = t.AwaitRethrows.Add(r.AwaitRethrows), t.DispatchRethrows.Add(r.DispatchRethrows)
		}
	}
	t.Thrown, t.CatchRethrows, t.Handled, t.Superseded, t.Swallowed = all.thrown, all.rethrows, all.handled, all.superseded, all.swallowed
	t.Wrapped, t.Replaced = all.wrapped, all.replaced
	t.Unhandled, t.InFlight, t.EndsUnknown, t.BeganBefore = all.unhandled, all.inFlight, all.unknown, p.beganBefore
	t.Truncated = p.trace.Truncated
	first, known := t.first()
	t.ThrownPerSecond = perSecond(first, t.ObservedNs)
	t.MaxThrownPerSecond = p.rate.most(func(stack analysis.StackID) bool { return !known || !p.again[stack] })
}

// first returns the number of throws that are no rethrows, and whether it is known: otherwise it
// is that of all.
func (t *Totals) first() (count int64, known bool) {
	if t.Throws.IsZero() {
		return t.Thrown, false
	}
	return t.Throws.Or(0), true
}

// perSecond returns a rate, rounded to a tenth.
func perSecond(count, nanos int64) float64 {
	if nanos <= 0 {
		return 0
	}
	return float64(int64(float64(count)/float64(nanos)*1e10+0.5)) / 10
}

// methodName returns the name of a method in the form of a catch event: "void
// [module] Type::Method(int32)" is "Type.Method".
func methodName(text string) string {
	if s, ok := symbolOf(text); ok {
		return s.Name()
	}
	return text
}

// symbolOf returns the method in the form of a catch event; false for a text of another form.
func symbolOf(text string) (symbols.Symbol, bool) {
	head, _, _ := strings.Cut(text, "(")
	namespace, method, ok := cutLast(head, "::")
	if !ok {
		return symbols.Symbol{}, false
	}
	if i := strings.LastIndex(namespace, "] "); i >= 0 {
		namespace = namespace[i+2:]
	} else if i := strings.LastIndexByte(namespace, ' '); i >= 0 {
		namespace = namespace[i+1:]
	}
	s := symbols.Symbol{Namespace: namespace, Method: method}
	if len(head) < len(text) {
		s.Signature = "void " + ilTypes().ReplaceAllString(text[len(head):], "$1")
	}
	return s, true
}

// ilTypes are the names of assemblies before the types of a signature.
var ilTypes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`((?:class|valuetype) )\[[^\]]*\]`) })

// cutLast is strings.Cut at the last separator.
func cutLast(s, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// some returns a number for a table of text, in which 0 is a dash.
func some(n int64) analysis.Number {
	if n == 0 {
		return analysis.Number{}
	}
	return analysis.Known(n)
}
