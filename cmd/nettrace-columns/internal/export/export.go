// Package export writes all tables of a trace to a folder.
package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	library "github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace-columns/internal/parquet"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/profile"
)

// Options configure Run.
type Options struct {
	Name      string // of the trace
	Dir       string // of the files
	Partition string // "", "file", "process" or "file,process"
	Force     bool   // replace files
}

// malformedError is the error of a trace whose readable part was written.
type malformedError struct{ err error }

func (e *malformedError) Error() string { return e.err.Error() }

func (e *malformedError) Unwrap() error { return e.err }

// IsMalformed reports whether the readable part of the trace was written.
func IsMalformed(err error) bool {
	var e *malformedError
	return errors.As(err, &e)
}

// maxRows bounds the rows of the tables of events that are in memory at once.
const maxRows = 4 << 20

// Run writes the tables. The warnings are about the trace.
func Run(ctx context.Context, o *Options) (warnings []string, err error) {
	keys, err := o.keys()
	if err != nil {
		return nil, err
	}
	t, err := columns.New(ctx, columns.Options{
		Open: func() (io.ReadCloser, error) { return open(o.Name) }, Name: filepath.Base(o.Name),
		Reader:   codec.Options{OnError: codec.Skip, Schemas: clr.Schemas, Limits: library.LargeLimits()},
		Profile:  profile.LargeLimits(),
		Analysis: analysis.LargeLimits(),
	})
	if t == nil {
		return nil, err
	}
	w := &writer{o: o, keys: keys}
	if err := w.findOld(t); err != nil {
		return nil, err
	}
	if err := w.tables(ctx, t); err != nil {
		return nil, err
	}
	if err := w.removeOld(); err != nil {
		return nil, err
	}
	return trouble(t)
}

// trouble returns what is wrong with the trace.
func trouble(t *columns.Trace) (warnings []string, err error) {
	r := t.Reader()
	if lost := r.Lost(); lost > 0 {
		warnings = append(warnings, fmt.Sprintf("warning: %d events lost", lost))
	}
	for _, text := range t.LeftOut().Warnings() {
		warnings = append(warnings, "warning: "+text)
	}
	bad, first := r.BadBlocks()
	switch {
	case t.Err() != nil:
		return warnings, &malformedError{t.Err()}
	case bad > 0:
		return warnings, &malformedError{fmt.Errorf("%d bad blocks skipped, the first: %w", bad, first)}
	}
	return warnings, nil
}

// keys returns the columns of --partition.
func (o *Options) keys() ([]string, error) {
	if o.Partition == "" {
		return nil, nil
	}
	keys := strings.Split(o.Partition, ",")
	for i, k := range keys {
		if k != "file" && k != "process" || slices.Contains(keys[:i], k) {
			return nil, fmt.Errorf("--partition: %q is not file, process or file,process", o.Partition)
		}
	}
	return keys, nil
}

// open opens a trace, compressed or not.
func open(name string) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	src, err := library.NewSource(f, library.SourceOptions{ReadAhead: true})
	if err != nil {
		f.Close()
		return nil, err
	}
	return &file{src, f}, nil
}

// file is a source and the file that it reads.
type file struct {
	*library.Source
	f *os.File
}

// Close closes both.
func (f *file) Close() error { return errors.Join(f.Source.Close(), f.f.Close()) }

// writer writes tables to files.
type writer struct {
	o       *Options
	keys    []string
	old     []string // paths of the tables that --force replaces
	written []string // paths
}

// findOld finds the tables of an older run before the first table is written, and refuses
// them without --force. With --force it refuses a folder with tables that the trace does not
// have: they are of another trace. Partitions keep the files of several traces.
func (w *writer) findOld(t *columns.Trace) error {
	if len(w.keys) > 0 {
		return nil
	}
	files, err := os.ReadDir(w.o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, one := range files {
		table, ok := strings.CutSuffix(one.Name(), ".parquet")
		if !ok {
			continue
		}
		path := filepath.Join(w.o.Dir, one.Name())
		known := slices.ContainsFunc(t.Tables(), func(of *columns.Table) bool { return of.Name == table })
		switch {
		case known && !w.o.Force:
			return existsError(path)
		case !known && w.o.Force:
			return fmt.Errorf("%s is not a table of this trace: choose another folder", path)
		}
		w.old = append(w.old, path)
	}
	return nil
}

// removeOld removes the old tables of which this trace has no rows. The others are replaced:
// a run that fails removes no file.
func (w *writer) removeOld() error {
	if !w.o.Force {
		return nil
	}
	for _, path := range w.old {
		if slices.Contains(w.written, path) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// existsError returns the error for a file that is replaced with --force only.
func existsError(path string) error { return fmt.Errorf("%s exists (--force replaces it)", path) }

// tables writes all tables: first those of every trace, in two passes, then those of the
// types of events, in groups that fit into memory.
func (w *writer) tables(ctx context.Context, t *columns.Trace) error {
	var wants []columns.Want
	for _, table := range columns.Tables() {
		wants = append(wants, columns.Want{Table: table})
	}
	if err := w.group(ctx, t, wants); err != nil {
		return err
	}
	counts, err := rowsOfTypes(ctx, t)
	if err != nil {
		return err
	}
	wants = wants[:0]
	rows := int64(0)
	for _, table := range t.Tables()[len(columns.Tables()):] {
		count := counts[table.Name]
		if count == 0 {
			continue
		}
		if rows += count; rows > maxRows && len(wants) > 0 {
			if err := w.group(ctx, t, wants); err != nil {
				return err
			}
			wants, rows = wants[:0], count
		}
		wants = append(wants, columns.Want{Table: table})
	}
	return w.group(ctx, t, wants)
}

// rowsOfTypes returns the number of events by the name of their table.
func rowsOfTypes(ctx context.Context, t *columns.Trace) (map[string]int64, error) {
	d, err := t.Load(ctx, "event_types")
	if err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for row := range d.Rows {
		if name := d.Vector("table_name"); !name.Null(row) {
			counts[name.Text(row)] += d.Vector("events").Int(row)
		}
	}
	return counts, nil
}

// group reads some tables and writes them.
func (w *writer) group(ctx context.Context, t *columns.Trace, wants []columns.Want) error {
	if err := t.Prepare(ctx, wants); err != nil {
		return err
	}
	for i := range wants {
		if err := w.table(t.Data(wants[i].Table)); err != nil {
			return err
		}
		t.Forget(wants[i].Table)
	}
	return ctx.Err()
}

// table writes a table: one file, or one for each process.
func (w *writer) table(d *columns.Data) error {
	process := d.Vector("process_id")
	if process == nil || !slices.Contains(w.keys, "process") {
		return w.file(d, "", nil)
	}
	parts := map[string][]int{}
	for row := range d.Rows {
		name := "__HIVE_DEFAULT_PARTITION__"
		if !process.Null(row) {
			name = strconv.FormatInt(process.Int(row), 10)
		}
		parts[name] = append(parts[name], row)
	}
	for name, rows := range parts {
		if err := w.file(d, "process_id="+name, rows); err != nil {
			return err
		}
	}
	return nil
}

// file writes rows to a file, which appears when it is complete.
func (w *writer) file(d *columns.Data, process string, rows []int) error {
	dir := w.o.Dir
	if len(w.keys) > 0 {
		dir = filepath.Join(dir, d.Table.Name)
	}
	for _, k := range w.keys {
		part := process
		if k == "file" {
			part = "file=" + filepath.Base(w.o.Name)
		}
		dir = filepath.Join(dir, part)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(dir, d.Table.Name+".parquet")
	if _, err := os.Lstat(path); err == nil && !w.o.Force {
		return existsError(path)
	}
	f, err := createTemp(dir)
	if err != nil {
		return err
	}
	err = parquet.Write(f, d, rows, len(w.keys) > 0)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	w.written = append(w.written, path)
	return nil
}

// createTemp creates a temporary file with the permissions of a new file, which those of
// os.CreateTemp are not.
func createTemp(dir string) (*os.File, error) {
	const attempts = 1000
	for i := 0; ; i++ {
		name := filepath.Join(dir, fmt.Sprintf(".nettrace-%d-%d.tmp", os.Getpid(), i))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || i == attempts {
			return f, err
		}
	}
}
