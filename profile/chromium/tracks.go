package chromium

import (
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// track draws the samples of a type that are no calls.
func (e *encoder) track(t profile.Type) {
	category := string(calltree.Quote(t.String()))
	value := t.Value().Name + ", " + t.Value().Unit
	for s := range e.p.Samples(t) {
		e.on(s.Thread)
		labels := calltree.Labels(e.p, &s, e.raw)
		name := string(calltree.Quote(title(t, labels)))
		labels = slices.Insert(slices.DeleteFunc(labels, told), 0, profile.Label{Key: value, Num: s.Value})
		from := e.p.Nanos(s.Ticks)
		if !calltree.Timed(t) {
			e.instant(category, name, from)
			e.args(labels, e.p.Stack(s.Stack))
			continue
		}
		e.nextID++
		e.async("b", category, name, from)
		e.args(labels, e.p.Stack(s.Stack))
		e.async("e", category, name, from+s.Value)
		e.b = append(e.b, '}')
	}
}

// told reports whether the position of an event already shows a label.
func told(l profile.Label) bool {
	return l.Key == "thread id" || l.Key == "thread name" || l.Key == "appdomain process id" || l.Key == "process name"
}

// titles are the names of the entries of tracks, with the label that
// distinguishes them.
var titles = map[profile.Type][2]string{
	profile.Alloc:     {"Allocation", "allocation class"},
	profile.Lock:      {"Contention", "contention type"},
	profile.Wait:      {"Wait", ""},
	profile.Exception: {"Exception", "exception type"},
	profile.Event:     {"Event", ""},
}

func title(t profile.Type, labels []profile.Label) string {
	about := titles[t]
	for _, l := range labels {
		if l.Key == about[1] && l.Text != "" {
			return about[0] + " " + l.Text
		}
	}
	return about[0]
}

// instant begins an event without duration on a thread.
func (e *encoder) instant(category, name string, at int64) {
	e.begin("i")
	e.b = append(e.b, `,"s":"t"`...)
	e.about(category, name, at)
}

// async begins the begin or end of an asynchronous slice.
func (e *encoder) async(phase, category, name string, at int64) {
	e.begin(phase)
	e.b = strconv.AppendUint(append(e.b, `,"id":"`...), e.nextID, 10)
	e.b = append(e.b, '"')
	e.about(category, name, at)
}

// about writes the fields that both kinds have, from the quoted category to the
// time.
func (e *encoder) about(category, name string, at int64) {
	e.b = append(append(e.b, `,"cat":`...), category...)
	e.b = append(append(e.b, `,"name":`...), name...)
	e.b = append(e.b, e.place...)
	e.b = appendTime(e.b, at)
}

// args writes the arguments that end an event: labels, of two with the same key
// the first, and a stack, leaf first.
func (e *encoder) args(labels []profile.Label, stack []profile.FrameID) {
	e.b = append(e.b, `,"args":{`...)
	separator := ""
	for i := range labels {
		l := &labels[i]
		if slices.ContainsFunc(labels[:i], func(other profile.Label) bool { return other.Key == l.Key }) {
			continue
		}
		e.b = append(append(append(e.b, separator...), calltree.Quote(l.Key)...), ':')
		separator = ","
		if l.Text == "" && l.Num != 0 {
			e.b = strconv.AppendInt(e.b, l.Num, 10)
		} else {
			e.b = append(e.b, calltree.Quote(l.Text)...)
		}
	}
	for i, f := range stack {
		if i == 0 {
			e.b = append(append(e.b, separator...), `"stack":[`...)
		} else {
			e.b = append(e.b, ',')
		}
		e.b = append(e.b, calltree.Quote(e.names.List[e.names.ID(f)].Text)...)
	}
	if len(stack) > 0 {
		e.b = append(e.b, ']')
	}
	e.b = append(e.b, "}}"...)
}
