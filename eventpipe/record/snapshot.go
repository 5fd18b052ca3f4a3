package record

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// ErrNoStream: a Ring has not received a stream header yet.
var ErrNoStream = errors.New("record: no stream has begun")

// Snapshot is the content of a Ring at one moment. Later blocks of the Ring do
// not change it.
type Snapshot struct {
	trace      *codec.Trace
	blocks     []raw.Block // in the order of the written trace
	compressed bool        // all but the first
	tail       *codec.BlockRows
	fromStart  bool // no block was dropped before it
	lastGone   uint64
	additions  iter.Seq[Addition]
}

// Append makes Write add events after those of the snapshot, such as those of
// [Names].
func (s *Snapshot) Append(list iter.Seq[Addition]) { s.additions = list }

// Snapshot returns the current content. The error is ErrNoStream before the
// stream's header.
func (g *Ring) Snapshot() (*Snapshot, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.trace == nil {
		return nil, ErrNoStream
	}
	blocks := slices.Concat([]raw.Block{g.first}, g.metadata, g.stacks)
	for i := range g.blocks {
		blocks = append(blocks, g.blocks[i].Block)
	}
	return &Snapshot{trace: g.trace, blocks: blocks, compressed: g.opt.Compressed, tail: g.tail, fromStart: !g.dropped, lastGone: g.lastGone}, nil
}

// Clone returns a copy of a snapshot that was not written yet: both can be written.
func (s *Snapshot) Clone() *Snapshot {
	c := *s
	c.blocks = slices.Clone(s.blocks)
	if s.tail != nil {
		tail := *s.tail
		tail.Events = slices.Clone(tail.Events)
		c.tail = &tail
	}
	return &c
}

// LastDropped returns the ticks of the newest event that the Ring had dropped
// because of RingOptions.Size before the snapshot, or 0.
func (s *Snapshot) LastDropped() uint64 { return s.lastGone }

// Part describes the trace that Snapshot.Write wrote.
type Part struct {
	Events        int64         // number of events, without rundown
	RundownEvents int64         // number of rundown events, including those of names and of Append
	First, Last   uint64        // ticks of the oldest and the newest event, without rundown
	Span          time.Duration // time between First and Last
	// Frames is the number of frames in the stacks of the events; a stack that
	// several events of a region share counts once. Unnamed is the number of
	// those whose address is in no method of the trace: if there is a rundown,
	// code that was unloaded earlier.
	Frames, Unnamed int64
}

// Write writes the content as a trace: all metadata, the stacks that were known
// at its start, and the blocks. It renumbers the events of each capture thread:
// the first event has sequence number 1, and later ones keep their distance, so
// that a reader counts only losses of the kept part. Call Write once.
//
// names, if not nil, is the stream of another session of the same process, of any
// time. Write adds its events, typically a rundown, at the end, with the time of the
// newest event. Write returns an error of names, or that events of it were lost,
// after it has written everything else.
//
// The last block is a sequence point. Write does not write the end mark.
func (s *Snapshot) Write(w io.Writer, names io.Reader) (Part, error) {
	out := &rewriter{w: codec.NewBlockWriter(w, codec.BlockWriterOptions{Format: s.trace.Format.WithTags(), Preserve: true}), numbers: numbers{fromStart: s.fromStart}, named: newCoverage()}
	src := s.reader()
	if err := out.stream(src); err != nil {
		return out.part, err
	}
	if s.tail != nil {
		if err := out.block(src, s.tail); err != nil {
			return out.part, err
		}
	}
	var namesErr error
	added := s.additions
	if names != nil {
		if more := out.namesOf(s.trace, names, &namesErr); more != nil {
			added = Concat(more, added) // what was appended is newer
		}
	}
	if added != nil {
		if err := out.add(s.trace, added); err != nil {
			return out.part, err
		}
	}
	if err := out.endRegion(); err != nil {
		return out.part, err
	}
	out.part.Unnamed, out.part.Frames = out.named.nameless()
	out.part.Span = s.trace.Since(out.part.Last) - s.trace.Since(out.part.First)
	return out.part, namesErr
}

// reader returns a reader of the blocks, which it lets go of.
func (s *Snapshot) reader() *codec.BlockReader {
	return codec.NewBlockReader(&assembly{blocks: s.blocks, compressed: s.compressed, format: s.trace.Format}, readKept)
}

// WriteFile writes the snapshot to a File, like Write. Equal snapshots make equal
// files, compressed or not.
func (s *Snapshot) WriteFile(f *File, names io.Reader) (Part, error) {
	part, err := s.Write(snapshotWriter{f}, names)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flushSoon()
	return part, err
}

// readKept are the options for reading blocks that Run has already read.
var readKept = codec.Options{
	OnError: codec.Skip, Limits: codec.Limits{Metadata: -1, Threads: -1, Stacks: -1, Labels: -1, Total: -1},
}

// assembly is the stream that blocks make. It lets go of each block that it has
// handed out.
type assembly struct {
	blocks     []raw.Block
	compressed bool
	format     wire.Format
	body       []byte // of the last compressed block, reused
	buf        bytes.Buffer
	w          *raw.Writer
}

func (a *assembly) Read(p []byte) (int, error) {
	if a.w == nil {
		a.w = raw.NewWriter(&a.buf, raw.WriterOptions{Format: a.format})
	}
	if a.buf.Len() == 0 {
		if err := a.next(); err != nil {
			return 0, err
		}
	}
	return a.buf.Read(p)
}

func (a *assembly) next() error {
	if len(a.blocks) == 0 {
		return a.w.Close() // again: no bytes, and the buffer returns io.EOF
	}
	block := a.blocks[0]
	a.blocks[0] = raw.Block{}
	a.blocks = a.blocks[1:]
	if a.compressed && block.Kind != wire.KindTrace {
		var err error
		if a.body, err = s2.Decode(a.body[:cap(a.body)], block.Body); err != nil {
			return err
		}
		block.Body = a.body
	}
	return a.w.Block(&block)
}
