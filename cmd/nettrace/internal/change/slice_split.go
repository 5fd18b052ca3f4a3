package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
)

// runSplit writes several files. Complete files remain when a later one fails.
func runSplit(ctx context.Context, p *run.Program, name string, o *sliceOptions, s *slicing) error {
	if o.Name == output.Stdout {
		return errors.New("--split needs files: it cannot write to standard output")
	}
	earlier := earlierParts(o.Name)
	if len(earlier) > 0 && !o.Force {
		return output.ExistsError(earlier[0].name)
	}
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	r := codec.NewBlockReader(in, input.ReaderOptions(false))
	first, err := s.prepare(p, in, r)
	if err != nil {
		return err
	}
	defer first.Close()
	if s.opt.First == nil && !s.opt.DropRundown {
		if _, err := r.Trace(); err == nil {
			return errors.New("--split reads its input twice, which a pipe does not allow: " +
				"write it to a file first, or leave out the names with --drop-rundown")
		}
		s.opt.Naming = nil // the source cannot be read
	}
	parts := &splitOutputs{p: p, o: o}
	result, err := edit.Split(ctx, parts.next, r, edit.SplitOptions{SliceOptions: s.opt, Size: s.size})
	in.EndProgress()
	if err == nil {
		err = parts.keep()
	}
	if err != nil {
		parts.discard()
		if exit.HasCode(err) {
			return err
		}
		return s.failure(p, in, r, err)
	}
	printSliceReport(p, in, r, s, result)
	reportRedaction(p, s.opt.Redact)
	return removeParts(earlier, parts.count)
}

// splitOutputs creates the files of the parts. A part is kept when the next one
// begins, or keep is called.
type splitOutputs struct {
	p     *run.Program
	o     *sliceOptions
	last  *splitOutput // that is not kept yet, or nil
	count int
}

func (s *splitOutputs) next(n int) (io.WriteCloser, error) {
	if err := s.keep(); err != nil {
		return nil, err
	}
	out, err := output.Create(s.p, &output.Target{Name: partName(s.o.Name, n), Force: s.o.Force})
	if err != nil {
		return nil, err
	}
	s.last, s.count = &splitOutput{out}, n
	return s.last, nil
}

func (s *splitOutputs) keep() error {
	if s.last == nil {
		return nil
	}
	err := s.last.output.Keep()
	s.last = nil // or discarded
	return err
}

// discard removes the part that is being written.
func (s *splitOutputs) discard() {
	if s.last != nil {
		s.last.output.Discard()
	}
}

// splitOutput is a part.
type splitOutput struct{ output *output.File }

func (o *splitOutput) Write(b []byte) (int, error) { return o.output.Write(b) }

// Close leaves the file open: splitOutputs keeps or discards it.
func (o *splitOutput) Close() error { return nil }

// partName inserts the number of a part before the extensions.
func partName(name string, n int) string {
	before, after := partAffixes(name)
	return fmt.Sprintf("%s%03d%s", before, n, after)
}

// partAffixes returns the text before and after the number in the names of
// parts.
func partAffixes(name string) (before, after string) {
	packed := ""
	if ext := strings.ToLower(filepath.Ext(name)); ext == ".zst" || ext == ".gz" {
		packed = name[len(name)-len(ext):]
		name = strings.TrimSuffix(name, packed)
	}
	return strings.TrimSuffix(name, ".nettrace") + ".", ".nettrace" + packed
}

// earlierPart is a file with the name of a part.
type earlierPart struct {
	name   string
	number int
}

// earlierParts lists the files that have the names of parts of an output, in
// order of their numbers.
func earlierParts(name string) []earlierPart {
	before, after := partAffixes(name)
	base := filepath.Base(before) // which ends in a dot
	files, err := os.ReadDir(filepath.Dir(before))
	if err != nil {
		return nil // creating a part reports it
	}
	var list []earlierPart
	for _, f := range files {
		digits := strings.TrimSuffix(strings.TrimPrefix(f.Name(), base), after)
		n, err := strconv.Atoi(digits)
		if part := partName(name, n); err == nil && n > 0 && filepath.Base(part) == f.Name() {
			list = append(list, earlierPart{part, n})
		}
	}
	slices.SortFunc(list, func(a, b earlierPart) int { return a.number - b.number })
	return list
}

// removeParts removes the parts of an earlier run that have higher numbers than
// those of this one.
func removeParts(earlier []earlierPart, count int) error {
	for _, part := range earlier {
		if part.number > count {
			if err := os.Remove(part.name); err != nil {
				return exit.With(exit.Broken, err)
			}
		}
	}
	return nil
}
