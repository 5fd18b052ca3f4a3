package edit

import (
	"context"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// ConvertOptions configure Convert. The zero value writes version 6 with
// compressed rows.
type ConvertOptions struct {
	// Format is the version to write: 4, 5 or 6. 4 and 5 write the same stream,
	// whose header has version 4; NoTags decides whether it has tags. Default: 6.
	Format wire.Format
	// NoTags writes the metadata of version 4 without tags, for readers that do
	// not know tags. It leaves out opcodes, and the fields of an event from its
	// first array on. Readers that follow the specification ignore unknown
	// tags. Default: tags are written where a row needs them.
	NoTags bool
	// Uncompressed writes event rows without header compression.
	Uncompressed bool
	// Compact makes blocks of about a megabyte. It writes only the table rows
	// that events refer to, right before the first block that needs them, and
	// renumbers them: the rows with the most references from that block get the
	// smallest ids. Threads keep their ids in versions 4 and 5. Default: ids
	// and boundaries of blocks stay.
	Compact bool
}

// withDefaults sets the fields that are zero. Format 4 becomes 5 unless NoTags is
// set.
func (o ConvertOptions) withDefaults() (ConvertOptions, error) {
	if o.Format.IsZero() {
		o.Format = wire.V6
	}
	switch f := o.Format; {
	case !codec.CanWrite(f):
		return o, ErrNotWritten
	case o.NoTags && f.WithTags() == f:
		return o, fmt.Errorf("edit: NoTags with format %v: NoTags requires format 4", f)
	case !o.NoTags:
		o.Format = f.WithTags()
	}
	return o, nil
}

// flags are those of the event blocks that are written.
func (o *ConvertOptions) flags() uint16 {
	if o.Uncompressed {
		return 0
	}
	return wire.BlockCompressed
}

// stage receives the blocks of a stream in order, and passes the blocks that it
// makes of them to the next stage. A block is borrowed during the call.
type stage interface {
	block(b *codec.BlockRows) error
	// end passes on what is held back, and ends the next stages.
	end() error
}

// Convert writes a stream of any version in another one. It writes each row
// with as few bytes as its values need, and event blocks with the exact times
// of their rows. It does not change payloads. It returns what is missing from
// the new stream or different in it.
//
// To version 6: threads become rows, with the process of the trace. A thread
// gets a new index if its sequence numbers restart, or if it has events after a
// sequence point that did not list it. Threads that a sequence point leaves out are
// removed. Activity ids become label lists.
//
// From version 3: each thread is its own capture thread, with sequence numbers
// from 1. Events share stacks, and Convert adds a sequence point
// when the stacks since the last one have 8 MiB.
//
// To versions 4 and 5: a thread has its operating-system id or, if it has none, its
// index as id. Sequence points list every thread that continues. Opcodes and arrays
// in metadata are written as tags, unless ConvertOptions.NoTags is set.
func Convert(ctx context.Context, dst io.Writer, src *codec.BlockReader, opt ConvertOptions) ([]Change, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	s, err := open(src)
	if err != nil {
		return nil, err
	}
	var c changes
	if next := stages(dst, s.trace, &opt, &c); !s.trace.Format.HasStackBlocks() {
		err = newInlined(next).feed(ctx, s)
	} else {
		err = s.feed(ctx, next)
	}
	return c.list, err
}

// stages makes those that a conversion needs, the last one first.
func stages(dst io.Writer, trace *codec.Trace, opt *ConvertOptions, c *changes) stage {
	var next stage = &sink{w: codec.NewBlockWriter(dst, codec.BlockWriterOptions{Format: opt.Format}), changes: c}
	indexed, wanted := trace.Format.HasThreadTable(), opt.Format.HasThreadTable()
	if opt.Compact {
		next = newRegroup(next, opt, c)
	}
	switch {
	case wanted && !indexed:
		next = newUpgrade(next, trace, opt, c)
	case indexed && !wanted:
		next = newDowngrade(next, trace, opt, c)
	default:
		next = &sameFamily{next: next, opt: opt, changes: c}
	}
	return next
}

// feed passes all blocks to the stages.
func (s *source) feed(ctx context.Context, to stage) error {
	for rows, ok := &s.rows, true; ok; rows, ok = s.next(ctx) {
		if err := to.block(rows); err != nil {
			return err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return to.end()
}

// sameFamily passes the blocks of a version to a writer of the same family.
type sameFamily struct {
	next    stage
	opt     *ConvertOptions
	changes *changes
}

func (r *sameFamily) block(b *codec.BlockRows) error {
	switch b.Kind {
	case wire.KindTrace:
		b.Body, b.TypeName = nil, ""
	case wire.KindEvent:
		b.Flags = r.opt.flags()
		b.SetBounds()
	case wire.KindMetadata:
		for i := range b.Metadata {
			row := &b.Metadata[i]
			if m := fitMetadata(row.Metadata, r.opt.Format, r.changes); m != row.Metadata {
				row.Metadata, row.Bytes = m, nil
			}
		}
	}
	return r.next.block(b)
}

func (r *sameFamily) end() error { return r.next.end() }
