package traces

import (
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/telemetry"
)

// Since .NET 10 the bridge writes events and links of an activity as "[(a,b,[key:value,key:value]),(a,b)]", where a
// zero-width space follows each comma that separates. Earlier it writes the name of a type.
const separator = ",\u200b"

// elements splits a list into the parts of its elements, each with its tags. It reports false if the text is none.
func elements(text string) (list []element, ok bool) {
	text, begins := strings.CutPrefix(text, "[")
	text, ends := strings.CutSuffix(text, "]")
	if !begins || !ends {
		return nil, false
	}
	if text == "" {
		return nil, true
	}
	for _, one := range strings.Split(text, ")"+separator+"(") {
		one = strings.TrimSuffix(strings.TrimPrefix(one, "("), ")")
		e := element{}
		if head, tags, tagged := strings.Cut(one, separator+"["); tagged {
			one, e.tags = head, strings.TrimSuffix(tags, "]")
		}
		e.parts = strings.Split(one, separator)
		list = append(list, e)
	}
	return list, true
}

// element is an event or a link.
type element struct {
	parts []string
	tags  string // "key:value,key:value"
}

// attributes returns the tags.
func (e *element) attributes(o *Options, kind Kind) (list []telemetry.Attribute) {
	if e.tags == "" {
		return nil
	}
	for _, tag := range strings.Split(e.tags, separator) {
		if key, value, ok := strings.Cut(tag, ":"); ok {
			list = o.add(list, kind, key, value)
		}
	}
	return list
}

// events reads the events of a span: name and time.
func (d *Decoder) events(s *Span, text string) {
	list, _ := elements(text)
	for _, e := range list {
		if len(e.parts) != 2 {
			d.stats.Malformed++
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, e.parts[1])
		if err != nil {
			d.stats.Malformed++
			continue
		}
		s.Events = append(s.Events, Event{Time: at.UTC(), Name: e.parts[0], Attributes: e.attributes(&d.options, s.Kind)})
	}
}

// links reads the links of a span: trace id, span id, flags, state, and whether it is remote.
func (d *Decoder) links(s *Span, text string) {
	list, _ := elements(text)
	for _, e := range list {
		if len(e.parts) != 5 {
			d.stats.Malformed++
			continue
		}
		link := Link{TraceID: telemetry.ParseTraceID(e.parts[0]), SpanID: telemetry.ParseSpanID(e.parts[1]), Attributes: e.attributes(&d.options, s.Kind)}
		if e.parts[3] != "null" {
			link.TraceState = e.parts[3]
		}
		if link.TraceID == (telemetry.TraceID{}) || link.SpanID == (telemetry.SpanID{}) {
			d.stats.Malformed++
			continue
		}
		s.Links = append(s.Links, link)
	}
}
