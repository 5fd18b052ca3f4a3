package columns

import (
	"context"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// described are the tables of the types of events that a trace describes.
type described struct {
	list    []*Table
	byName  map[string]*Table // by name in lower case
	known   map[eventName]*Table
	names   map[string]int // of tables, as free counts them
	inRows  bool           // rows of events define metadata
	rows    codec.BlockRows
	last    *codec.Metadata
	schemas func(m *codec.Metadata, version uint32) (codec.EventSchema, bool)
}

// eventName identifies the table of a type of events.
type eventName struct {
	provider, name string
	id             uint32 // of events without a name
}

// newEventName returns the key of a type of events: events with a name need no id.
func newEventName(provider, name string, id uint32) eventName {
	if name != "" {
		id = 0
	}
	return eventName{provider, name, id}
}

// describe reads the metadata of the trace, the first time.
func (t *Trace) describe(ctx context.Context) error {
	if t.described != nil {
		return nil
	}
	src, err := t.opt.Open()
	if err != nil {
		return err
	}
	defer src.Close()
	opt := t.opt.Reader
	opt.NoStacks, opt.OnDefect, opt.OnLost = true, nil, nil
	r := codec.NewBlockReader(src, opt)
	d := &described{byName: map[string]*Table{}, known: map[eventName]*Table{}, names: map[string]int{}, schemas: opt.Schemas, inRows: !t.header.Format.HasMetadataBlocks()}
	for _, table := range tables() {
		d.names[table.Name] = 1
	}
	for b, ok := r.Next(); ok && ctx.Err() == nil; b, ok = r.Next() {
		d.block(r, b)
	}
	if err := t.ended(ctx, true, r.Err()); err != nil {
		return err
	}
	for _, table := range d.list {
		d.byName[strings.ToLower(table.Name)] = table
	}
	t.described = d
	return nil
}

// block adds the types of a block. In version 3 the rows of events have them.
func (d *described) block(r *codec.BlockReader, b *codec.Block) {
	switch {
	case b.Kind == wire.KindMetadata:
		r.Rows(&d.rows)
		for i := range d.rows.Metadata {
			d.add(d.rows.Metadata[i].Metadata)
		}
	case b.Kind == wire.KindEvent && d.inRows:
		for ev, ok := r.NextEvent(); ok; ev, ok = r.NextEvent() {
			if m := ev.Metadata(); m != d.last {
				d.last = m
				d.add(m)
			}
		}
	}
}

// maxTables bounds the number of tables of types of events.
const maxTables = 10_000

// add adds the type of a metadata row.
func (d *described) add(m *codec.Metadata) {
	if m == nil {
		return
	}
	schema := schemaOf(m, d.schemas)
	key := newEventName(m.Provider, schema.Name, m.EventID)
	table := d.known[key]
	if table == nil {
		if len(d.list) == maxTables {
			return
		}
		table = newEventTable(key.provider, key.name, key.id)
		table.Name = free(d.names, table.Name)
		d.known[key] = table
		d.list = append(d.list, table)
	}
	table.addFields(schema.Fields)
}

func decimal(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
