package columns

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// eventTable is what the table of one type of events is about: the events with a name,
// of all versions.
type eventTable struct {
	provider, name string
	id             uint32 // of events without a name
	fields         []fieldKey
	at             map[fieldKey]int  // position in fields
	names          map[string]int    // of columns, as free counts them
	left           map[fieldKey]bool // fields beyond maxFields, which have no column
	common         int               // number of columns before those of fields
}

// fieldKey identifies a field of the versions of an event: its name, and how many fields
// before it have the same name.
type fieldKey struct {
	name   string
	before int
}

// keysOf returns the keys of fields, of those of the one nameless object of a self-describing event.
func keysOf(fields []codec.Field) (list []codec.Field, keys []fieldKey) {
	if len(fields) == 1 && fields[0].Name == "" && fields[0].Type.Code == wire.Object {
		fields = fields[0].Type.Fields
	}
	met := map[string]int{}
	for i := range fields {
		name := fields[i].Name
		keys = append(keys, fieldKey{name, met[name]})
		met[name]++
	}
	return fields, keys
}

// commonColumns are the first columns of each table of events.
var commonColumns = []Column{
	{Name: "id", Type: Int, Doc: "number of the event", Of: "events", Key: true, Sorted: true},
	{Name: "time", Type: Time, Unit: "ns", Doc: "time of the event", Sorted: true},
	{Name: "at_ns", Type: Int, Unit: "ns", Doc: "time of the event since the trace's sync time", Sorted: true},
	{Name: "process_id", Type: Int, Doc: "id of the process"},
	{Name: "thread_id", Type: Int, Doc: "id of the thread", Key: true},
}

// maxName bounds the name of a table, which is the name of a file and of a folder too.
const maxName = 200

// typeName returns the name of the table of a type of events. A name that is too long ends
// in a hash of the rest. SQLite reserves names that begin with sqlite_.
func typeName(provider, name string, id uint32) string {
	if name == "" {
		name = "Event" + decimal(id)
	}
	letters := []byte(provider + "_" + name)
	for i, c := range letters {
		if !isWord(c) {
			letters[i] = '_'
		}
	}
	if letters[0] >= '0' && letters[0] <= '9' || len(letters) > 7 && strings.EqualFold(string(letters[:7]), "sqlite_") {
		letters = append([]byte{'_'}, letters...)
	}
	if len(letters) > maxName {
		h := fnv.New64a()
		h.Write([]byte(provider + "/" + name))
		letters = fmt.Appendf(letters[:maxName-17], "_%016x", h.Sum64())
	}
	return string(letters)
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// newEventTable returns a table of events without columns of fields.
func newEventTable(provider, name string, id uint32) *Table {
	title := name
	if name == "" {
		title = "event " + decimal(id)
	}
	names := map[string]int{hiddenColumn: 1}
	for _, c := range commonColumns {
		names[c.Name] = 1
	}
	return &Table{
		Name: typeName(provider, name, id), Doc: "events " + title + " of " + provider, Columns: slices.Clone(commonColumns),
		typed: &eventTable{provider: provider, name: name, id: id, at: map[fieldKey]int{}, names: names, common: len(commonColumns)},
	}
}

// hiddenColumn is the name of a column that SQL adds to each table, so that no field can have it.
const hiddenColumn = "file_id"

// maxFields bounds the number of columns of a table of events.
const maxFields = 1000

// addFields adds columns for the fields that the table does not have. Fields of another
// version with another type keep the column, as text if one of them is text.
func (t *Table) addFields(fields []codec.Field) {
	fields, keys := keysOf(fields)
	for i, key := range keys {
		f := &fields[i]
		of := typeOfField(&f.Type)
		at, known := t.typed.at[key]
		switch {
		case f.Name == "":
		case len(t.typed.fields) == maxFields && !known:
			if t.typed.left == nil {
				t.typed.left = map[fieldKey]bool{}
			}
			t.typed.left[key] = true
		case !known:
			t.typed.at[key] = len(t.typed.fields)
			t.typed.fields = append(t.typed.fields, key)
			t.Columns = append(t.Columns, Column{Name: t.freeName(f.Name), Type: of, Doc: fieldDoc(f)})
		case t.Columns[t.typed.common+at].Type != of:
			t.Columns[t.typed.common+at].Type = widened(t.Columns[t.typed.common+at].Type, of)
		}
	}
}

// fieldDoc describes the column of a field.
func fieldDoc(f *codec.Field) string {
	doc := "field " + f.Name + ", " + f.Type.Code.String()
	if isUnsigned(f.Type.Code) {
		doc += ", as a signed number"
	}
	return doc
}

// freeName returns the name of a field, with a number if a column has the name.
func (t *Table) freeName(name string) string { return free(t.typed.names, name) }

// free returns a name, with a number at its end if it is taken, and takes it. Upper and
// lower case are the same.
func free(taken map[string]int, name string) string {
	base, found := strings.ToLower(name), name
	n := taken[base]
	for number := base; taken[number] > 0; number = strings.ToLower(found) {
		n++
		found = name + "_" + strconv.Itoa(n)
	}
	taken[base] = max(n, 1)
	taken[strings.ToLower(found)] = max(taken[strings.ToLower(found)], 1)
	return found
}

// widened returns the type that has the values of both types.
func widened(a, b Type) Type {
	numbers := []Type{Int, Bool}
	switch {
	case slices.Contains(numbers, a) && slices.Contains(numbers, b):
		return Int
	default:
		return Text
	}
}

// typeOfField returns the type of the column of a field.
func typeOfField(t *codec.Type) Type {
	switch t.Code {
	case wire.Boolean, wire.Boolean8:
		return Bool
	case wire.SByte, wire.Byte, wire.Int16, wire.UInt16, wire.Int32, wire.UInt32, wire.Int64, wire.UInt64, wire.Pointer, wire.VarInt, wire.VarUInt, wire.UTF16CodeUnit:
		return Int
	case wire.Single, wire.Double, wire.Decimal:
		return Float
	case wire.DateTime, wire.SystemTimeCode:
		return Time
	}
	return Text
}

// typedColumns decodes the fields of the events of one table.
type typedColumns struct {
	want     *Want
	table    *eventTable
	schemas  func(m *codec.Metadata, version uint32) (codec.EventSchema, bool)
	builders []builder
	ids      []int64
	at       []int64
	threads  []uint32
	known    numbering[analysis.Thread]
}

// newTyped returns the decoder of the columns of a table that are used.
func newTyped(table *eventTable, w *Want, schemas func(m *codec.Metadata, version uint32) (codec.EventSchema, bool)) *typedColumns {
	t := &typedColumns{want: w, table: table, schemas: schemas, builders: make([]builder, len(table.fields))}
	for i := range t.builders {
		t.builders[i].of = w.Table.Columns[table.common+i].Type
	}
	return t
}

// refs returns the places of the fields of the events of a metadata row, nil if they are not in
// the table.
func (t *typedColumns) refs(m *codec.Metadata) []codec.FieldRef {
	schema := schemaOf(m, t.schemas)
	if m.Provider != t.table.provider || schema.Name != t.table.name || schema.Name == "" && m.EventID != t.table.id {
		return nil
	}
	refs := make([]codec.FieldRef, len(t.table.fields))
	_, keys := keysOf(schema.Fields)
	for i, key := range keys {
		if at, ok := t.table.at[key]; ok {
			refs[at] = schema.FieldAt(i)
		}
	}
	return refs
}

// schemaOf returns the name and the fields of the events of a metadata row.
func schemaOf(m *codec.Metadata, schemas func(m *codec.Metadata, version uint32) (codec.EventSchema, bool)) codec.EventSchema {
	schema := codec.EventSchema{Name: m.Name, Fields: m.Fields, Version: m.Version}
	if schemas == nil || m.Name != "" && len(m.Fields) > 0 {
		return schema
	}
	known, ok := schemas(m, m.Version)
	if ok && schema.Name == "" {
		schema.Name = known.Name
	}
	if ok && len(schema.Fields) == 0 {
		schema.Fields = known.Fields
	}
	return schema
}

// add adds an event, which is the last one of e.
func (t *typedColumns) add(ev *codec.Event, e *eventColumns, refs []codec.FieldRef) {
	t.ids = append(t.ids, int64(e.rows))
	t.at = append(t.at, e.trace.Nanos(ev.Timestamp))
	t.threads = append(t.threads, t.known.of(e.trace.Thread(ev)))
	for i := range t.builders {
		if t.want.uses(t.table.common + i) {
			t.builders[i].addValue(ev.Value(refs[i]))
		}
	}
}

// addValue appends the value of a field.
func (b *builder) addValue(v codec.Value) {
	switch {
	case !v.Valid():
		b.null()
	case b.of == Int || b.of == Bool:
		if n := v.Int64(); n < 0 && isUnsigned(v.Code()) {
			b.left.Unsigned++
		}
		b.add(v.Int64())
	case b.of == Float && v.Code() == wire.Decimal:
		b.left.Decimals++
		b.null()
	case b.of == Float:
		b.add(v.Float64())
	case b.of == Time:
		b.addTime(v)
	default:
		b.add(v.String())
	}
}

// isUnsigned reports whether integers of a type can exceed those of an Int.
func isUnsigned(code wire.TypeCode) bool {
	return code == wire.UInt64 || code == wire.VarUInt || code == wire.Pointer
}

// addTime appends a time, null for one that the type cannot express. A time of 0 is none.
func (b *builder) addTime(v codec.Value) {
	if at, ok := v.Time(); ok {
		if n, ok := unixNs(at); ok {
			b.add(n)
			return
		}
	}
	if slices.ContainsFunc(v.Bytes(), func(c byte) bool { return c != 0 }) {
		b.left.Times++
	}
	b.null()
}

// leftOut counts what is not in the columns.
func (t *typedColumns) leftOut() (left LeftOutFields) {
	left.Columns = int64(len(t.table.left))
	for i := range t.builders {
		left.add(t.builders[i].left)
	}
	return left
}

// data returns the rows. sync is the sync time.
func (t *typedColumns) data(sync int64) *Data {
	process, thread := &Vector{Index: t.threads, Ints: []int64{}}, &Vector{Index: t.threads, Ints: []int64{}}
	for _, one := range t.known.list {
		process.Ints, process.Nulls = append(process.Ints, int64(one.Process)), append(process.Nulls, one.Process == 0)
		thread.Ints = append(thread.Ints, int64(one.ID))
	}
	d := &Data{Table: t.want.Table, Rows: len(t.ids)}
	d.vectors = append(d.vectors, &Vector{Ints: t.ids}, times(t.at, sync), &Vector{Ints: t.at}, process, thread)
	for i := range t.builders {
		var v *Vector
		if t.want.uses(t.table.common + i) {
			v = t.builders[i].done()
		}
		d.vectors = append(d.vectors, v)
	}
	return d
}

// knownTables returns the tables of the known types of events by their names in lower case.
var knownTables = sync.OnceValue(func() map[string]*Table {
	list := map[string]*Table{}
	for e := range clr.Events() {
		name := strings.ToLower(typeName(e.Provider, e.Name, e.ID))
		if list[name] == nil {
			list[name] = newEventTable(e.Provider, e.Name, e.ID)
		}
		list[name].addFields(e.Fields)
	}
	return list
})
