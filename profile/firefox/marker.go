package firefox

import (
	"maps"
	"slices"
	"strconv"
)

// schema describes the markers of a name: the fields that they have.
type schema struct {
	keys  []string          // in the order of their first markers
	known map[string]string // the key of a field in JSON, by label
}

// maxFields bounds the fields of a schema: events of one event source can have many.
const maxFields = 200

// field returns the key of a label in the data of markers, "" if there are too many.
func (s *schema) field(label string) string {
	key, known := s.known[label]
	if !known && len(s.keys) < maxFields {
		key = "f" + strconv.Itoa(len(s.keys))
		s.keys = append(s.keys, label)
		s.known[label] = key
	}
	return key
}

// schema returns the schema of a name.
func (e *encoder) schema(name string) *schema {
	s := e.schemas[name]
	if s == nil {
		s = &schema{known: map[string]string{}}
		e.schemas[name] = s
	}
	return s
}

// writeMarkers writes the markers of a thread.
func (e *encoder) writeMarkers(list []marker) {
	e.table(",\n\"markers\":", len(list))
	e.text(`,"name":[`)
	for i := range list {
		e.separate(i)
		e.number(int64(e.tables.text(list[i].name)))
	}
	e.text(`],"startTime":[`)
	for i := range list {
		e.separate(i)
		e.millis(list[i].from)
	}
	e.text(`],"endTime":[`)
	for i := range list {
		if e.separate(i); list[i].instant {
			e.text("null")
		} else {
			e.millis(list[i].until)
		}
	}
	e.text(`],"phase":[`)
	for i := range list {
		if e.separate(i); list[i].instant {
			e.text("0")
		} else {
			e.text("1")
		}
	}
	e.text(`],"category":[`)
	for i := range list {
		e.separate(i)
		e.number(int64(list[i].category))
	}
	e.text(`],"data":[`)
	for i := range list {
		e.separate(i)
		e.data(&list[i])
	}
	e.text("]}")
}

// data writes the fields of a marker.
func (e *encoder) data(m *marker) {
	e.text(`{"type":`)
	e.quote(m.schema)
	s := e.schema(m.schema)
	for _, l := range m.fields {
		key := s.field(l.Key)
		if key == "" {
			continue
		}
		e.text(`,"` + key + `":`)
		if text := l.Text; text != "" {
			e.quote(text)
		} else {
			e.quote(strconv.FormatInt(l.Num, 10))
		}
	}
	if m.stack != no {
		e.text(`,"cause":{"stack":`)
		e.number(int64(m.stack))
		e.text("}")
	}
	e.text("}")
}

// writeSchemas writes the schemas of the markers that were written.
func (e *encoder) writeSchemas() {
	for i, name := range slices.Sorted(maps.Keys(e.schemas)) {
		e.separate(i)
		s := e.schemas[name]
		e.text("\n{\"name\":")
		e.quote(name)
		e.text(`,"display":["marker-chart","marker-table","timeline-overview"],"fields":[`)
		for k, label := range s.keys {
			e.separate(k)
			e.text(`{"key":"` + s.known[label] + `","label":`)
			e.quote(label)
			e.text(`,"format":"string"}`)
		}
		e.text("]}")
	}
}
