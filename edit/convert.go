package edit

import (
	"context"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// ConvertOptions are those of Convert. The zero value writes v6 with compressed rows.
type ConvertOptions struct {
	// Format is the version to write: 4, 5 or 6. 5 is another name for 4: the
	// header of the stream says 4 for both. Default: 6.
	Format wire.Format
	// NoTags writes the metadata of format 4 without tags, for readers that do
	// not know them: opcodes, and fields from the first array on, are left out.
	// Readers that follow the text ignore tags that they do not know. Default:
	// tags are written where a row needs them.
	NoTags bool
	// Uncompressed writes event rows without header compression.
	Uncompressed bool
	// Compact makes blocks of about a megabyte, writes of each table only the
	// rows that events refer to, right before the first block that needs them,
	// and numbers them anew: those most often referred to in that block get the
	// smallest numbers. Threads keep their ids in v4 and v5. Default: ids and
	// borders of blocks stay.
	Compact bool
}

// withDefaults fills in what is left out. Format 4 becomes 5 unless NoTags.
func (o ConvertOptions) withDefaults() (ConvertOptions, error) {
	if o.Format.IsZero() {
		o.Format = wire.V6
	}
	switch f := o.Format; {
	case !codec.CanWrite(f):
		return o, ErrNotWritten
	case o.NoTags && f.WithTags() == f:
		return o, fmt.Errorf("NoTags with format %v: it goes with format 4", f)
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

// stage takes the blocks of a stream, one after another, and gives what it makes
// of them to the next stage. A block is borrowed during the call.
type stage interface {
	block(b *codec.BlockRows) error
	// end gives away what is held back, and ends the stages behind.
	end() error
}

// Convert writes a stream of any version anew, with as few bytes a row as its
// values need and exact times in the headers of event blocks. Payloads are not
// touched. It returns what the new stream has not, or has otherwise.
//
// To v6: threads become rows, with the process of the trace; one that starts its
// numbers again, or comes back behind a sequence point that left it out, gets
// another index. What a sequence point leaves out is removed. Activity ids
// become label lists.
//
// From v3: numbers count from 1 on each thread, which is its own capture thread;
// stacks are shared, and a sequence point is added when they fill 8 MiB.
//
// To v4 and v5: a thread is the id of the operating system, or else its index.
// Sequence points list every thread that goes on. The opcodes and the arrays of
// metadata are tags (ConvertOptions.NoTags).
func Convert(ctx context.Context, dst io.Writer, src *codec.BlockReader, opt ConvertOptions) ([]Change, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	var c changes
	if next := stages(dst, s.trace, &opt, &c); !s.trace.Format.HasStackBlocks() {
		err = newInlined(next).feed(s)
	} else {
		err = s.feed(next)
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
		next = &restate{next: next, opt: opt, changes: c}
	}
	return next
}

// feed gives all blocks to the stages.
func (s *source) feed(to stage) error {
	for rows, ok := &s.rows, true; ok; rows, ok = s.next() {
		if err := to.block(rows); err != nil {
			return err
		}
	}
	if s.canceled != nil {
		return s.canceled
	}
	return to.end()
}

// restate gives the blocks of a version to a writer of the same family.
type restate struct {
	next    stage
	opt     *ConvertOptions
	changes *changes
}

func (r *restate) block(b *codec.BlockRows) error {
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

func (r *restate) end() error { return r.next.end() }
