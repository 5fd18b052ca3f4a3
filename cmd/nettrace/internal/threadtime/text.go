package threadtime

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// printer prints time lines as text for users.
type printer struct {
	terminal.Screen
	o *options
	b []byte
}

// maxCauses is how many causes of a thread the table has.
const maxCauses = 3

// time returns a time with its unit, "" for none.
func time(nanos int64) string {
	if nanos == 0 {
		return ""
	}
	return samples.Amount(nanos, profile.Wall)
}

// line prints a line, wrapped if it does not fit.
func (t *printer) line(text string) { t.b = append(append(t.b, t.Wrap(text, 2)...), '\n') }

// print prints the head, the table of threads, and with --spans their time lines.
func (t *printer) print(d *data) {
	var parts []string
	for _, s := range states {
		if d.states[s] > 0 {
			parts = append(parts, s.String()+" "+time(d.states[s]))
		}
	}
	t.line(fmt.Sprintf("%s: %s observed for %s", display.Printable(calltree.ProcessName(d.Profile)), display.Counted(int64(len(d.rows)), "thread"), time(d.observed)))
	t.line(strings.Join(parts, ", "))
	if text := d.WindowText(); text != "" {
		t.line(fmt.Sprintf("times %s of a recording %s", text, d.RecordingText()))
	}
	for _, text := range d.missing() {
		t.line(text)
	}
	t.threads(d)
	if !t.o.spans {
		return
	}
	for i := range d.rows[:t.o.shown(len(d.rows))] {
		t.spans(d, &d.rows[i])
	}
}

// missing returns sentences about events that the trace does not have.
func (d *data) missing() []string {
	var list []string
	has := func(t profile.Type) bool { return slices.Contains(d.Kinds, t) }
	if !has(profile.Wall) && !has(profile.Switch) {
		list = append(list, "no samples and no context switches: only waits, locks and pauses are known")
	}
	if !has(profile.Wait) && !has(profile.Switch) {
		list = append(list, "no events about waits: their lengths are those of samples")
	}
	if text := samples.OneCodeText(d.Profile, d.Kinds); text != "" {
		list = append(list, text)
	}
	return list
}

// extra are the states whose columns are left out where the table does not fit.
var extra = []profile.State{profile.Native, profile.Spinning, profile.Idle, profile.Runnable, profile.NotSampled}

// threads prints the table of threads. A state that no thread has is left out.
func (t *printer) threads(d *data) {
	table := terminal.Table{Columns: []terminal.Column{{Title: "thread", Right: true}, {Title: "observed", Right: true}}}
	for _, s := range states {
		if d.states[s] > 0 {
			table.Columns = append(table.Columns, terminal.Column{Title: s.String(), Right: true, Extra: slices.Contains(extra, s)})
		}
	}
	table.Columns = append(table.Columns, terminal.Column{Title: "waited for", Overflow: terminal.Cut}, terminal.Column{Title: "name", Extra: true})
	for i := range d.rows[:t.o.shown(len(d.rows))] {
		r := &d.rows[i]
		cells := []string{d.id(r.thread), time(r.observed)}
		for _, s := range states {
			if d.states[s] > 0 {
				cells = append(cells, time(r.states[s]))
			}
		}
		table.Add(terminal.Cells(append(cells, r.causesText(), display.Printable(d.Threads()[r.thread].Name))...)...)
	}
	t.table(&table, len(d.rows), "thread")
}

// causesText returns the longest causes for which a thread waited or was blocked,
// with their times.
func (r *row) causesText() string {
	var texts []string
	for _, c := range r.causes {
		if c.state == profile.Waiting || c.state == profile.Blocked {
			texts = append(texts, c.String()+" "+time(c.nanos))
		}
	}
	if more := len(texts) - maxCauses; more > 0 {
		texts = append(texts[:maxCauses], fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, ", ")
}

// spans prints the time line of a thread.
func (t *printer) spans(d *data, r *row) {
	t.b = fmt.Appendf(t.b, "\nthread %s\n", strings.TrimSpace(d.id(r.thread)+" "+display.Printable(d.Threads()[r.thread].Name)))
	table := terminal.Table{Columns: []terminal.Column{
		{Title: "start s", Right: true}, {Title: "length", Right: true}, {Title: "state"}, {Title: "cause", Overflow: terminal.Cut},
	}}
	line := d.TimeLine(r.thread)
	for _, s := range line[:t.o.shown(len(line))] {
		c := cause{text: s.Cause, owner: s.Owner}
		start := strconv.FormatFloat(d.Trace.Since(s.From).Seconds(), 'f', 6, 64)
		table.Add(terminal.Cells(start, time(s.Nanos), s.State.String(), c.String())...)
	}
	t.table(&table, len(line), "span")
}

// table prints a table, and the number of rows out of all that are left out.
func (t *printer) table(table *terminal.Table, all int, what string) {
	t.b = table.Append(t.b, t.Screen)
	if rest := all - table.Len(); rest > 0 {
		t.b = fmt.Appendf(t.b, "%s more (--limit 0 shows all)\n", display.Counted(int64(rest), what))
	}
}
