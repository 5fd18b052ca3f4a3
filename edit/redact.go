package edit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// ErrNoSchemas is the error of redacting events of the .NET runtime with a
// Reader that has no Options.Schemas. The trace does not describe the fields of
// these events, so it is unknown which of their bytes are text.
var ErrNoSchemas = errors.New("edit: cannot redact events of the runtime: the Reader has no Options.Schemas")

// RedactOptions configure a Redactor. The zero value replaces all text except
// the fields of KeptFields.
type RedactOptions struct {
	// PathsOnly replaces only command lines, the folders of paths, and in any
	// text the folders after /home/, \Users\ and the like, including the user
	// name. All other text stays, except trace properties and payloads that do
	// not fit their fields, which are replaced completely.
	PathsOnly bool
	// Texts are also replaced in all values that otherwise stay, encoded in
	// UTF-8, UTF-16 or Latin-1. Empty texts are ignored.
	Texts []string
	// Names, if set, reports whether an event is a naming event whose payload
	// has all the fields of its type, like Naming.Names: see symbols.Naming. If
	// bytes follow the declared fields of such an event, the Redactor replaces
	// only those bytes and not the complete payload.
	Names func(*codec.Event) bool
}

// Redactor replaces text in a trace by asterisks: one for each byte of UTF-8
// and each code unit of UTF-16, so that payloads keep their size and layout.
//
// By default it replaces
//
//   - text in payloads: fields of all text types, and arrays of code units and of
//     bytes, also in nested objects and arrays. KeptFields lists the exceptions;
//   - complete payloads, including numbers, that do not fit their fields or have
//     none. Exceptions are naming events (see RedactOptions.Names) and the
//     events of Universal.System: if bytes follow their declared fields, these
//     bytes are replaced, and the fields are treated as in other events;
//   - bytes of a payload that belong to no field;
//   - the values of string labels, of attributes of threads and of metadata, and
//     of trace properties, except the numbers of properties that every trace has;
//   - the names of threads.
//
// With PathsOnly it replaces in all these places
//
//   - values whose field or key ends in CommandLine;
//   - the folders of values whose field or key ends in Path, FileName or Directory.
//     The part after the last separator stays if it is a file name: if the field
//     ends in FileName, if KeptFields lists the field, or if the extension is that
//     of a program;
//   - the part after /home/, /root, /Users/ or \Users\ (in any letter case) in any
//     value: the user name, and after it everything up to the last separator of
//     the text. A double quote or a control
//     character ends the text of a path;
//   - complete payloads that do not fit their fields;
//   - the complete values of trace properties, except numbers and versions.
//
// Apart from RedactOptions.Texts and payloads that are replaced completely, it
// keeps the names of providers, events and fields, keys, messages and
// descriptions in metadata (which belong to the provider and are the same in
// every process), numbers, addresses and times. Names of methods and types stay
// by default, although names in generated code can contain secrets.
//
// A Redactor is for one goroutine. It counts its replacements over all traces
// that it is used for.
type Redactor struct {
	opt    RedactOptions
	texts  []secret
	labels []codec.Label
	walk   payloadWalk
	types  map[redactedType]*fieldNode
	last   redactedType // the key of node
	node   *fieldNode
	counts redactCounts
}

// redactedType identifies a list of fields.
type redactedType struct {
	metadata *codec.Metadata
	version  uint32
}

// NewRedactor returns a Redactor with no counts.
func NewRedactor(opt RedactOptions) *Redactor {
	r := &Redactor{opt: opt, texts: secrets(opt.Texts), types: make(map[redactedType]*fieldNode)}
	r.walk.r = r
	return r
}

// Payload returns the payload of an event with its text replaced. The result is
// valid until the next call or the Reader's next step. The Reader should have
// Options.Schemas: without them, payloads of the runtime's events are replaced
// completely or, with PathsOnly, only searched for home folders.
func (r *Redactor) Payload(e *codec.Event) []byte {
	if len(e.Payload()) == 0 {
		return nil
	}
	return r.walk.payload(e, r.root(e))
}

// mustBeMade panics for the zero Redactor.
func (r *Redactor) mustBeMade() {
	if r.types == nil {
		panic("edit: a zero Redactor replaces nothing: use NewRedactor")
	}
}

// root is the tree of fields of an event's type, which holds how they are
// treated.
func (r *Redactor) root(e *codec.Event) *fieldNode {
	key := redactedType{e.Metadata(), e.Version()}
	if r.node != nil && key == r.last {
		return r.node
	}
	node := r.types[key]
	if node == nil {
		r.mustBeMade()
		if len(r.types) >= maxKnownRows {
			clear(r.types)
		}
		node = r.newRoot(key)
		r.types[key] = node
	}
	r.last, r.node = key, node
	return node
}

// value returns a value outside of payloads with its text replaced.
func (r *Redactor) value(what Replacement, s string, how treatment) string {
	b := []byte(s)
	if replaced := r.replace(units{b, 1}, how); replaced || hasText(b) && !isVersion(s) {
		r.counts.of(what).add(replaced, b)
	}
	return string(b)
}

// replace replaces text in place, and returns whether it changed any of it.
func (r *Redactor) replace(u units, how treatment) bool {
	changed := how.apply(u)
	if how == replaceAll {
		return changed
	}
	return r.redactTexts(u.b) || changed
}

// keyed is how the value of a key is treated.
func (r *Redactor) keyed(key string) treatment {
	if r.opt.PathsOnly {
		return byName(key)
	}
	return replaceAll
}

// Labels returns labels with the values of string labels replaced. The result
// is valid until the next call.
func (r *Redactor) Labels(labels []codec.Label) []codec.Label {
	if !slices.ContainsFunc(labels, func(l codec.Label) bool { return l.Kind == wire.LabelKeyString }) {
		return labels
	}
	r.labels = append(r.labels[:0], labels...)
	for i := range r.labels {
		if l := &r.labels[i]; l.Kind == wire.LabelKeyString {
			l.Value = r.value(Replacement{Where: InLabel, Field: l.Key}, l.Value, r.keyed(l.Key))
		}
	}
	return r.labels
}

// Thread returns a copy of a thread with its name and the values of its
// attributes replaced.
func (r *Redactor) Thread(t *codec.Thread) *codec.Thread {
	row := *t
	row.Name = r.value(Replacement{Where: InThreadName}, row.Name, r.keyed(""))
	row.Attributes = r.pairs(InThreadAttribute, row.Attributes)
	return &row
}

// Metadata returns m with the values of its attributes replaced, and with
// RedactOptions.Texts replaced in its message and description. It returns m
// itself if nothing changes.
func (r *Redactor) Metadata(m *codec.Metadata) *codec.Metadata {
	row := *m
	event := Replacement{Where: InMetadataText, Provider: m.Provider, EventID: m.EventID, Event: m.Name}
	row.Message = r.value(event, m.Message, keepAll)
	row.Description = r.value(event, m.Description, keepAll)
	if len(m.Attributes) == 0 && row.Message == m.Message && row.Description == m.Description {
		return m
	}
	row.Attributes = r.pairs(InMetadataAttribute, m.Attributes)
	return &row
}

func (r *Redactor) pairs(where Place, list []codec.KeyValue) []codec.KeyValue {
	list = slices.Clone(list)
	for i := range list {
		list[i].Value = r.value(Replacement{Where: where, Field: list[i].Key}, list[i].Value, r.keyed(list[i].Key))
	}
	return list
}

// Trace returns a copy of a trace with the values of its properties replaced.
func (r *Redactor) Trace(t *codec.Trace) *codec.Trace {
	redacted := *t
	redacted.Properties = slices.Clone(t.Properties)
	for i := range redacted.Properties {
		p, how := &redacted.Properties[i], replaceAll
		if keepsProperty(p.Key, p.Value) || r.opt.PathsOnly && isVersion(p.Value) {
			how = keepAll
		}
		p.Value = r.value(Replacement{Where: InProperty, Field: p.Key}, p.Value, how)
	}
	return &redacted
}

// isVersion reports whether a text is made of digits, dots and signs only: a
// version, a size or a number.
func isVersion(s string) bool {
	return strings.Trim(s, "0123456789.-+") == ""
}

// runtimePrefix begins the names of the native providers of the .NET runtime.
const runtimePrefix = "Microsoft-Windows-DotNETRuntime"

// accepts returns ErrNoSchemas for events that cannot be redacted without
// schemas when the Reader has none.
func (r *Redactor) accepts(m *codec.Metadata, schemas bool) error {
	if schemas || len(m.Fields) > 0 || !strings.HasPrefix(m.Provider, runtimePrefix) {
		return nil
	}
	return fmt.Errorf("%w (provider %s, event %d)", ErrNoSchemas, m.Provider, m.EventID)
}
