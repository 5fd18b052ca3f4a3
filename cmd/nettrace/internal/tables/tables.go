// Package tables writes the tables of a trace to a folder, as Parquet files.
package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	library "github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/parquet"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/profile"
)

// Options configure Run.
type Options struct {
	Name      string   // of the trace
	Dir       string   // of the files
	Tables    []string // names; nil for all
	Partition string   // "", "file", "process" or "file,process"
	Force     bool     // replace files
	// Interrupts, if set, removes unfinished files when the program is interrupted.
	Interrupts *run.Interrupts
	Workers    int // goroutines that read; 0: one for each core if the file is uncompressed and large
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
	at, err := openAt(o.Name, o.Workers)
	if err != nil {
		return nil, err
	}
	defer at.close()
	t, err := columns.New(columns.Options{
		Chunks: at.Chunks,
		Open:   func() (io.ReadCloser, error) { return open(o.Name) }, Name: filepath.Base(o.Name),
		Reader:   codec.Options{OnError: codec.Skip, Schemas: clr.Schemas, Limits: library.LargeLimits()},
		Profile:  profile.LargeLimits(),
		Analysis: analysis.LargeLimits(),
	})
	if err != nil {
		return nil, err
	}
	chosen, err := o.chosen(ctx, t)
	if err != nil {
		return nil, err
	}
	w := &writer{o: o, keys: keys}
	defer w.removeTemporary()
	if err := w.findOld(ctx, t, chosen); err != nil {
		return nil, err
	}
	if err := w.tables(ctx, t, chosen); err != nil {
		return nil, err
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	warnings, err = trouble(t)
	if why := cmp.Or(at.serial, t.Undivided()); o.Workers > 1 && why != "" {
		warnings = append(warnings, "note: one goroutine reads it, not those of --workers, because "+why)
	}
	return warnings, err
}

// chosen returns the tables of --tables, nil for all.
func (o *Options) chosen(ctx context.Context, t *columns.Trace) ([]*columns.Table, error) {
	var list []*columns.Table
	for _, name := range o.Tables {
		table, err := t.Table(ctx, name)
		var unknown *columns.UnknownTableError
		switch {
		case errors.As(err, &unknown):
			return nil, fmt.Errorf("--tables: the trace has no table %q (nettrace query --schema %s lists them)", name, o.Name)
		case err != nil:
			return nil, err
		case !slices.Contains(list, table):
			list = append(list, table)
		}
	}
	return list, nil
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
	o     *Options
	keys  []string
	old   []string // paths of the tables that --force replaces
	files []newFile
}

// newFile is a file that gets its name when all files are complete.
type newFile struct{ temporary, path string }

// findOld finds the tables of an older run before the first table is written, and refuses
// them without --force. With --force it refuses a folder with tables that the trace does not
// have: they are of another trace. Partitions keep the files of several traces. With --tables,
// only these tables count.
func (w *writer) findOld(ctx context.Context, t *columns.Trace, chosen []*columns.Table) error {
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
		if chosen == nil {
			if chosen, err = t.Tables(ctx); err != nil {
				return err
			}
		}
		path := filepath.Join(w.o.Dir, one.Name())
		known := slices.ContainsFunc(chosen, func(of *columns.Table) bool { return of.Name == table })
		switch {
		case known && !w.o.Force:
			return output.ExistsError(path)
		case !known && len(w.o.Tables) > 0:
			continue
		case !known && w.o.Force:
			return fmt.Errorf("%s is not a table of this trace: choose another folder", path)
		}
		w.old = append(w.old, path)
	}
	return nil
}

// finish gives the files their names, and removes the old tables of which this trace has no
// rows. Before that, a run that fails changes no file.
func (w *writer) finish() error {
	for _, f := range w.files {
		if info, err := os.Lstat(f.path); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a folder", f.path)
		}
	}
	return w.settle(w.rename)
}

// settle calls f, which renames or removes the temporary files. The program is not interrupted
// meanwhile.
func (w *writer) settle(f func() error) error {
	var temporary []string
	for _, one := range w.files {
		temporary = append(temporary, one.temporary)
	}
	return w.o.Interrupts.Settle(f, temporary...)
}

// rename gives the files their names.
func (w *writer) rename() error {
	for i, f := range w.files {
		if err := os.Rename(f.temporary, f.path); err != nil {
			return w.mixed(i, err)
		}
	}
	if !w.o.Force {
		return nil
	}
	for _, path := range w.old {
		if slices.ContainsFunc(w.files, func(f newFile) bool { return f.path == path }) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("%w: this table is of an older run, the others are of this one", err)
		}
	}
	return nil
}

// mixed returns the error for a file that could not get its name after count others.
func (w *writer) mixed(count int, err error) error {
	if count == 0 {
		return err
	}
	var paths []string
	for _, f := range w.files[:count] {
		paths = append(paths, f.path)
	}
	return fmt.Errorf("%w: these files are of this run, the others are missing or of an older one: %s", err, strings.Join(paths, ", "))
}

// removeTemporary removes the files that did not get their names.
func (w *writer) removeTemporary() {
	_ = w.settle(func() error {
		for _, f := range w.files {
			_ = os.Remove(f.temporary) // no file if it has its name
		}
		return nil
	})
}

// tables writes the chosen tables, nil for all: first those of every trace, together, then
// those of the types of events, in groups that fit into memory.
func (w *writer) tables(ctx context.Context, t *columns.Trace, chosen []*columns.Table) error {
	all := chosen == nil
	if all {
		chosen = columns.Tables()
	}
	var together, types []columns.Want
	for _, table := range chosen {
		if slices.Contains(columns.Tables(), table) {
			together = append(together, columns.Want{Table: table})
		} else {
			types = append(types, columns.Want{Table: table})
		}
	}
	if len(types) == 1 {
		together, types = append(together, types...), nil
	}
	if err := w.group(ctx, t, together); err != nil || !all && types == nil {
		return err
	}
	counts, err := rowsOfTypes(ctx, t)
	if err != nil {
		return err
	}
	if all {
		tables, err := t.Tables(ctx)
		if err != nil {
			return err
		}
		for _, table := range tables[len(columns.Tables()):] {
			if counts[table.Name] > 0 {
				types = append(types, columns.Want{Table: table})
			}
		}
	}
	return w.groups(ctx, t, types, counts)
}

// groups writes tables of types of events, with their numbers of rows.
func (w *writer) groups(ctx context.Context, t *columns.Trace, types []columns.Want, counts map[string]int64) error {
	from, rows := 0, int64(0)
	for i := range types {
		count := counts[types[i].Table.Name]
		if rows += count; rows > maxRows && i > from {
			if err := w.group(ctx, t, types[from:i]); err != nil {
				return err
			}
			from, rows = i, count
		}
	}
	return w.group(ctx, t, types[from:])
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

// maxFolder bounds the name of the file in the name of a folder, of which file systems accept 255
// bytes.
const maxFolder = 200

// bounded returns a name; one that is too long ends in a hash of all of it.
func bounded(name string) string {
	if len(name) <= maxFolder {
		return name
	}
	h := fnv.New64a()
	h.Write([]byte(name))
	return fmt.Sprintf("%s_%016x", strings.ToValidUTF8(name[:maxFolder-17], ""), h.Sum64())
}

// file writes rows to a file, which gets its name in finish.
func (w *writer) file(d *columns.Data, process string, rows []int) error {
	dir := w.o.Dir
	if len(w.keys) > 0 {
		dir = filepath.Join(dir, d.Table.Name)
	}
	for _, k := range w.keys {
		part := process
		if k == "file" {
			part = "file=" + bounded(filepath.Base(w.o.Name))
		}
		dir = filepath.Join(dir, part)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	path := filepath.Join(dir, d.Table.Name+".parquet")
	if _, err := os.Lstat(path); err == nil && !w.o.Force {
		return output.ExistsError(path)
	}
	f, err := w.create(path)
	if err != nil {
		return err
	}
	err = parquet.Write(f, d, rows, len(w.keys) > 0)
	return errors.Join(err, f.Close())
}

// create creates a file, which gets its name in finish.
func (w *writer) create(path string) (*os.File, error) {
	f, err := output.CreateTemporary(filepath.Dir(path), 0o666, w.o.Interrupts)
	if err == nil {
		w.files = append(w.files, newFile{f.Name(), path})
	}
	return f, err
}
