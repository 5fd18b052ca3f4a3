package edit

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Redactor takes out of a trace what would tell of a person. Texts keep their
// length, so that a payload fits its fields as before: characters become '*'.
//
// What it replaces, and where:
//
//   - command lines: fields named CommandLine, whatever the event (ProcessInfo of
//     Microsoft-DotNETCore-EventPipe; RuntimeInformationStart and -DCStart of the
//     runtime): all of them;
//   - paths: fields whose name ends in Path, Directory or FileName (ModuleLoad
//     and DCEnd events, assembly loading, probing): all but separators and what
//     follows the last one, which symbols are found by;
//   - folders of users, in any payload, label, thread name or attribute, in
//     UTF-16 and in UTF-8: what stands behind /home/, /root, /Users/ or \Users\,
//     up to the last separator of the path;
//   - Texts of the options, in the same places;
//   - trace properties: all values but numbers and versions.
//
// It does not touch the names of methods, types, assemblies, providers and
// events, numbers of processes and threads, addresses, times, and texts that an
// application writes into events of its own.
//
// A Redactor is for one goroutine.
type Redactor struct {
	texts   []secret
	payload []byte
	labels  []codec.Label
	fields  map[redactedType]bool // whether a field of the type is replaced
}

// redactedType is what chooses the fields of an event.
type redactedType struct {
	metadata *codec.Metadata
	version  uint32
}

// NewRedactor returns a Redactor that also replaces the given texts wherever
// they stand.
func NewRedactor(texts ...string) *Redactor {
	return &Redactor{texts: secrets(texts), fields: make(map[redactedType]bool)}
}

// Payload returns the payload of an event as it may be shown. It is valid until
// the next call or the Reader's next step.
func (r *Redactor) Payload(e *codec.Event) []byte {
	r.payload = append(r.payload[:0], e.Payload()...)
	if r.hasFields(e) && e.FieldsError() == 0 {
		at := 0
		for name, v := range e.Fields() {
			at = r.field(name, v, at)
		}
	}
	r.sweep(r.payload)
	return r.payload
}

// hasFields says whether an event can have fields to be replaced; the first
// event of its type tells.
func (r *Redactor) hasFields(e *codec.Event) bool {
	key := redactedType{e.Metadata(), e.Version()}
	has, ok := r.fields[key]
	if ok || key.metadata == nil {
		return has
	}
	whole := e.FieldsError() == 0
	for name, v := range e.Fields() {
		has = has || v.Code() == wire.Object || ruleOf(name) != nil
	}
	if whole { // else the next one may tell more
		if len(r.fields) >= maxKnownRows {
			clear(r.fields)
		}
		r.fields[key] = has
	}
	return has
}

// field replaces what a top-level field tells, and returns where the next one
// begins. Nested fields are those of objects.
func (r *Redactor) field(name string, v codec.Value, at int) int {
	end := at + len(v.Bytes())
	if v.Code() == wire.Object {
		for inner, value := range v.Fields() {
			at = r.field(inner, value, at)
		}
		return end
	}
	if rule := ruleOf(name); rule != nil {
		switch v.Code() {
		case wire.NullTerminatedUTF16String:
			rule(units{r.payload[at:end], 2})
		case wire.CountedUTF8String:
			rule(units{r.payload[min(at+2, end):end], 1})
		case wire.Array:
			if t := v.Type(); t.CountField == 0 {
				maskArray(rule, r.payload[min(at+2, end):end], t)
			}
		}
	}
	return end
}

// maskArray replaces the text of an array of code units.
func maskArray(rule func(units), text []byte, t *codec.Type) {
	switch t.Element.Code {
	case wire.UTF8CodeUnit:
		rule(units{text, 1})
	case wire.UTF16CodeUnit:
		rule(units{text, 2})
	}
}

// ruleOf says what is done to fields of a name, or nil.
func ruleOf(name string) func(units) {
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, "commandline"):
		return units.maskAll
	case strings.HasSuffix(name, "path"), strings.HasSuffix(name, "filename"), strings.HasSuffix(name, "directory"):
		return units.maskFolders
	}
	return nil
}

// Text returns a text as it may be shown.
func (r *Redactor) Text(s string) string {
	b := []byte(s)
	r.sweep(b)
	return string(b)
}

// Labels returns labels as they may be shown, until the next call.
func (r *Redactor) Labels(labels []codec.Label) []codec.Label {
	if !slices.ContainsFunc(labels, func(l codec.Label) bool { return l.Kind == wire.LabelKeyString }) {
		return labels
	}
	r.labels = append(r.labels[:0], labels...)
	for i := range r.labels {
		r.labels[i].Value = r.Text(r.labels[i].Value)
	}
	return r.labels
}

// Thread returns a thread row as it may be shown.
func (r *Redactor) Thread(t *codec.Thread) *codec.Thread {
	row := *t
	row.Name = r.Text(row.Name)
	row.Attributes = r.attributes(row.Attributes)
	return &row
}

func (r *Redactor) attributes(list []codec.KeyValue) []codec.KeyValue {
	list = slices.Clone(list)
	for i := range list {
		list[i].Value = r.Text(list[i].Value)
	}
	return list
}

// Trace returns a trace with the properties that may be shown.
func (r *Redactor) Trace(t *codec.Trace) *codec.Trace {
	shown := *t
	shown.Properties = slices.Clone(t.Properties)
	for i := range shown.Properties {
		if p := &shown.Properties[i]; !isNumber(p.Value) {
			p.Value = strings.Repeat("*", len(p.Value))
		}
	}
	return &shown
}

// isNumber says whether a text is made of digits, dots and signs only: a
// version, a size or a number.
func isNumber(s string) bool {
	return strings.Trim(s, "0123456789.-+") == ""
}
