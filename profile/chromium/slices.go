package chromium

import (
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// slices draws the samples of each thread as calls that begin and end.
func (e *encoder) slices(t profile.Type) {
	for thread := range e.p.Threads() {
		e.on(thread)
		e.context = append(e.context[:0], `,"cat":"`...)
		e.context = append(append(e.context, t.String()...), '"')
		e.spans.Thread(e.p, t, thread)
	}
}

func (e *encoder) opened(at int64, names []uint32) {
	for _, name := range names {
		e.begin("B")
		e.b = append(e.b, e.context...)
		e.name(name)
		e.b = append(e.b, e.place...)
		e.b = append(appendTime(e.b, at), '}')
	}
}

func (e *encoder) closed(at int64, names []uint32) {
	for range names {
		e.begin("E")
		e.b = append(e.b, e.place...)
		e.b = append(appendTime(e.b, at), '}')
	}
}

// name writes the name of a method, which is quoted once.
func (e *encoder) name(id uint32) {
	for len(e.quoted) <= int(id) {
		text := e.names.List[len(e.quoted)].Text
		if text == "" {
			text = "?"
		}
		e.quoted = append(e.quoted, calltree.Quote(text))
	}
	e.b = append(append(e.b, `,"name":`...), e.quoted[id]...)
}
