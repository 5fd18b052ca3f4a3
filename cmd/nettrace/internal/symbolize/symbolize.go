// Package symbolize stores the names and source lines of the code in a trace in the trace itself.
package symbolize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/symbols"
)

// Result counts what was found and written.
type Result struct {
	// Methods with source lines, methods that images named, and functions of native programs.
	Methods, Named, Native int64
	// Managed are the bodies of methods in stacks, and WithLines those of them with a line at one of
	// their addresses at least.
	Managed, WithLines int64
	// Missing counts the others by the reason.
	Missing map[symbols.Missing]int64
	// Bytes is the size of the payloads.
	Bytes int64
	// Merge is the result for a trace of version 6.
	Merge edit.MergeResult
}

// Text describes what was stored.
func (r *Result) Text() string {
	var parts []string
	for _, one := range []struct {
		n          int64
		noun, what string
	}{{r.Methods, "method", "source lines of %s in stacks"}, {r.Named, "method", "names of %s from images"}, {r.Native, "function", "names of %s of native programs"}} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf(one.what, display.Counted(one.n, one.noun)))
		}
	}
	return fmt.Sprintf("stored %s (%s)%s", strings.Join(parts, ", "), display.Bytes(r.Bytes), r.ReasonsText())
}

// ReasonsText has the bodies of methods without a line by the reason, after a semicolon; "" for none.
func (r *Result) ReasonsText() string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(r.Missing)) {
		parts = append(parts, fmt.Sprintf("%s %s", display.Grouped(r.Missing[why]), why))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("; no line of %s: %s", display.Counted(r.Managed-r.WithLines, "compiled method"), strings.Join(parts, ", "))
}

// ErrNothing: no file has anything of the code in the trace.
var ErrNothing = errors.New("nothing to store: no file has names or source lines of the code in the stacks")

// Sources are what was found in files of the code in the stacks of a trace.
type Sources struct {
	Result
	resolver *symbols.Resolver
	trace    *codec.Trace
	last     uint64 // ticks of the newest event
}

// Find looks for the code in the stacks of a trace, which r reads to its end. The error is that of
// the Reader; what was found up to it can be written.
func Find(ctx context.Context, r *codec.Reader, resolver *symbols.Resolver) (*Sources, error) {
	s := &Sources{resolver: resolver}
	var err error
	if s.trace, err = r.Trace(); err != nil {
		return s, err
	}
	s.Missing = map[symbols.Missing]int64{}
	prof, err := profile.FromReader(ctx, r, profile.Options{
		Types: []profile.Type{profile.Event}, Async: true, NoRepair: true, RuntimeHelpers: true,
		Limits: profile.LargeLimits(), Lines: resolver,
		Select: func(e *codec.Event) bool {
			s.last = max(s.last, e.Timestamp)
			return true
		},
	})
	if errors.Is(err, profile.ErrNoTaskEvents) {
		err = nil
	}
	if prof != nil {
		s.locate(prof)
		for one := range resolver.Records() {
			s.count(&one)
		}
	}
	return s, err
}

// locate looks for the lines of all frames.
func (s *Sources) locate(prof *profile.Profile) {
	stacks, frames := map[profile.StackID]bool{}, map[profile.FrameID]bool{}
	bodies := map[uint64]symbols.Missing{} // by start
	for one := range prof.Samples(profile.Event) {
		if stacks[one.Stack] {
			continue
		}
		stacks[one.Stack] = true
		for _, id := range prof.Stack(one.Stack) {
			if frames[id] {
				continue
			}
			frames[id] = true
			where := prof.Location(id)
			if code := prof.Code(id); code != nil {
				if have, known := bodies[code.Start]; !known || have != symbols.Found {
					bodies[code.Start] = where.Missing
				}
			}
		}
	}
	for _, why := range bodies {
		s.Managed++
		if why == symbols.Found {
			s.WithLines++
		} else {
			s.Missing[why]++
		}
	}
}

func (s *Sources) count(one *symbols.Record) {
	s.Bytes += int64(len(one.Payload))
	switch clr.KindOf(one.Metadata) {
	case clr.KindMethodSource:
		s.Methods++
	case clr.KindImageMethod:
		s.Named++
	case clr.KindNativeSymbol:
		s.Native++
	}
}

// Empty reports whether nothing was found.
func (s *Sources) Empty() bool { return s.Bytes == 0 }

// Write copies a trace and adds what was found, after its last event. src is the same trace from its
// beginning. Traces of versions 4 and 5 keep their blocks; of version 6 it merges the
// events. The error is that of dst, or of a version that cannot be written.
func (s *Sources) Write(ctx context.Context, dst io.Writer, src io.Reader) error {
	if !s.trace.Format.Before(wire.V6) {
		return s.merge(ctx, dst, src)
	}
	file, err := record.NewStream(dst, record.Uncompressed)
	if err != nil {
		return err
	}
	report, err := record.New(record.Options{Additions: func(*record.Report) iter.Seq[record.Addition] { return s.additions }}).Run(ctx, src, file)
	if report.Full != nil {
		return report.Full
	}
	if ctx.Err() != nil {
		return err
	}
	return nil // what is wrong with the trace, Find has returned
}

// additions are the events for versions 4 and 5.
func (s *Sources) additions(yield func(record.Addition) bool) {
	for one := range s.resolver.Records() {
		if !yield(record.Addition{Metadata: one.Metadata, Payload: one.Payload}) {
			return
		}
	}
}

// merge writes a trace of version 6.
func (s *Sources) merge(ctx context.Context, dst io.Writer, src io.Reader) (err error) {
	var added bytes.Buffer
	if err := s.writeAdded(&added); err != nil {
		return err
	}
	opt := codec.Options{OnError: codec.Skip, Schemas: clr.Schemas}
	s.Merge, err = edit.Merge(ctx, dst, []*edit.MergeSource{
		edit.NewMergeSource(src, edit.MergeSourceOptions{Name: "trace", Reader: opt}),
		edit.NewMergeSource(&added, edit.MergeSourceOptions{Name: "sources", Reader: opt}),
	}, edit.MergeOptions{Together: true})
	return err
}

// writeAdded writes what was found as a trace of its own with the same clock.
func (s *Sources) writeAdded(dst io.Writer) error {
	w := codec.NewWriter(dst, codec.WriterOptions{Format: wire.V6, Trace: *s.trace, Ordered: true})
	types, threads := map[*codec.Metadata]uint32{}, map[uint64]uint64{}
	for one := range s.resolver.Records() {
		thread, known := threads[one.Process]
		if !known {
			var err error
			if thread, err = w.AddThread(&codec.Thread{ProcessID: one.Process, HasProcessID: true}); err != nil {
				return err
			}
			threads[one.Process] = thread
		}
		id, known := types[one.Metadata]
		if !known {
			var err error
			if id, err = w.DefineMetadata(one.Metadata); err != nil {
				return err
			}
			types[one.Metadata] = id
		}
		rec := codec.Record{MetadataID: id, Timestamp: s.last, Thread: thread, CaptureThread: thread, Processor: wire.UnknownProcessor, Payload: one.Payload}
		if err := w.Write(&rec); err != nil {
			return err
		}
	}
	return w.Close()
}
