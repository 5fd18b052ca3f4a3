package columns

import (
	"context"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// described are the tables of the types of events that a trace describes.
type described struct {
	header  *codec.Trace
	list    []*Table
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

// describe reads the metadata of the trace. The result is nil if the stream has no
// header.
func (t *Trace) describe(ctx context.Context) (*described, error) {
	src, err := t.opt.Open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	opt := t.opt.Reader
	opt.NoStacks, opt.OnDefect, opt.OnLost = true, nil, nil
	r := codec.NewBlockReader(src, opt)
	header, err := r.Trace()
	if err != nil {
		return nil, err
	}
	d := &described{header: header, known: map[eventName]*Table{}, names: map[string]int{}, schemas: opt.Schemas, inRows: !header.Format.HasMetadataBlocks()}
	for _, table := range tables {
		d.names[table.Name] = 1
	}
	for b, ok := r.Next(); ok && ctx.Err() == nil; b, ok = r.Next() {
		d.block(r, b)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return d, r.Err()
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
