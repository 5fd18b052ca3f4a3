package events

import (
	"errors"
	"slices"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/chunks"
)

// listing prints the events of a stream.
type listing struct {
	out    sink
	wanted *filter.Filter
	period filter.Period
	rows   bool   // also rows that are not events
	limit  uint64 // 0 for none
	count  uint64
	full   bool  // the limit is reached
	late   int64 // events that were printed after a newer one

	asked, sent []string             // of a process: providers that the user named, and those with events
	session     []eventpipe.Provider // that were requested
	unread      int                  // event blocks that were not read because of the times in their headers

	defects []codec.Error // not printed yet: one may come while an event is printed
}

// largeFile is the size in bytes above which only blocks are read whose headers
// are in the period. To read a smaller file to its end takes less than half a
// second, and does not depend on the headers.
const largeFile = 256 << 20

// maxDefects is the number of defects that wait for the next printed line. More of
// them without an event between are counted on stderr only.
const maxDefects = 10_000

// read prints the chosen events of a file with as many goroutines as the flags allow.
// Its error is that of run.
func (l *listing) read(p *run.Program, in *input.File, o *options) (input.Reader, error) {
	opt := o.readerOptions()
	if n := in.Workers(o.workers); n > 1 && o.oneWorker() == "" {
		file := in.Random()
		index := chunks.NewIndex(file, file.Size(), opt)
		in.NextPass()
		if index != nil {
			return l.runChunks(index, file.Size(), o, n)
		}
	}
	r, err := l.reader(in, opt)
	if err == nil {
		err = l.run(r)
		trace, _ := r.Trace()
		in.NoteOneWorker(p, o.workers, trace)
	}
	return r, err
}

// reader chooses how a file is read. Of a large complete plain file only the blocks
// are read whose headers put them in the period; every other file is read to its end.
// Headers and tables are in all frames of a compressed file: to find them and then to
// read them would decompress it twice. With a period no losses are reported: they
// would depend on the way of reading.
func (l *listing) reader(in *input.File, opt codec.Options) (input.Reader, error) {
	opt.OnDefect = l.keep
	if !l.period.Given() {
		opt.OnLost = func(lost codec.Lost) { _ = l.out.Lost(lost) }
	}
	switch {
	case l.rows:
		return codec.NewBlockReader(in, opt), nil
	case !l.period.Given() || in.Packed != "" || in.Random() == nil || in.Stored <= largeFile:
		return codec.NewReader(in, opt), nil
	}
	index, err := codec.NewIndex(in.Random(), in.Random().Size(), opt)
	in.NextPass()
	if err != nil || index.Err() != nil {
		return codec.NewReader(in, opt), nil
	}
	window, err := l.period.Ticks(index.Trace())
	if err != nil {
		return nil, err
	}
	l.unread = index.Unverified(window)
	return index.Between(window), nil
}

// keep keeps a defect until the next line is printed.
func (l *listing) keep(e *codec.Error) {
	if len(l.defects) < maxDefects {
		l.defects = append(l.defects, *e)
	}
}

// run prints the chosen events. It returns the error that ended the reading, nil at
// the end mark and at the limit. An error of the output or of the period has an exit
// code.
func (l *listing) run(r input.Reader) error {
	trace, err := r.Trace()
	if err != nil {
		return err
	}
	window, err := l.period.Ticks(trace)
	if err != nil {
		return err
	}
	l.wanted.SetTime(window)
	if err := l.out.Trace(trace); err != nil {
		return exit.WriteError(err)
	}
	switch r := r.(type) {
	case *codec.BlockReader:
		return l.blocks(r)
	case *codec.Reader:
		err = l.events(r)
		l.late = r.OutOfOrder()
	}
	return err
}

// events prints the events in the order of the Reader.
func (l *listing) events(r *codec.Reader) error {
	for e, err := range r.Events() {
		if err != nil {
			return err
		}
		if err := l.event(e); err != nil {
			return exit.WriteError(err)
		}
		if l.full {
			break
		}
	}
	return nil
}

// blocks prints the rows of each block in file order.
func (l *listing) blocks(r *codec.BlockReader) error {
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if err := l.report(); err != nil {
			return exit.WriteError(err)
		}
		if err := l.block(r, b); err != nil {
			return exit.WriteError(err)
		}
		if l.full {
			return nil
		}
	}
	return r.Err()
}

// block prints the rows and the events of one block.
func (l *listing) block(r *codec.BlockReader, b *codec.Block) error {
	if err := l.out.Rows(b); err != nil {
		return err
	}
	for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
		if err := l.out.Rows(b); err != nil {
			return err
		}
		if err := l.event(e); err != nil || l.full {
			return err
		}
	}
	return l.out.Rows(b)
}

// report prints the defects that were found.
func (l *listing) report() error {
	for i := range l.defects {
		if err := l.out.Defect(&l.defects[i]); err != nil {
			return err
		}
	}
	l.defects = l.defects[:0]
	return nil
}

// end prints the defects that are left, the error that ended the reading, and the end
// line.
func (l *listing) end(cause error) error {
	var fault *codec.Error
	if errors.As(cause, &fault) && !errors.Is(cause, codec.ErrDefect) { // a defect is already in the list
		l.defects = append(l.defects, *fault)
	}
	if err := l.report(); err != nil {
		return err
	}
	return l.out.End(errors.Is(cause, codec.ErrTruncated))
}

// event prints the defects before an event, and the event if it is chosen.
func (l *listing) event(e *codec.Event) error {
	if len(l.defects) > 0 {
		if err := l.report(); err != nil {
			return err
		}
	}
	if len(l.asked) > 0 && !slices.Contains(l.sent, e.Provider()) {
		l.sent = append(l.sent, e.Provider())
	}
	if !l.wanted.Match(e) {
		return nil
	}
	l.count++
	l.full = l.count == l.limit
	return l.out.Event(e)
}
