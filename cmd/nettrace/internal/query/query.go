// Package query is the command query, which answers SQL about traces.
package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/columns"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/profile"
)

// Formats of the result, beside choice.JSON.
const (
	formatTable, formatCSV = "table", "csv"
)

// options are the flags of query.
type options struct {
	format       choice.Format
	display      terminal.Flags
	list, schema bool
	limit        uint64
	limited      bool // --limit is given
	timeout      time.Duration
	workers      int
	live         live.File
	profiles     []string // of a process
}

// Command returns the command query.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "query {FILE... | -p PID | -n NAME | --port ADDR} {SQL | NAME}",
		Short: "Answer SQL about traces: events, samples, stacks, collections, counters",
		Long: "query answers one SELECT statement of SQLite about the tables of traces. Without SQL after the\n" +
			"files it reads the statement from standard input. A NAME of --list is a ready query:\n" +
			"the exit code is 1 if the traces have nothing to show for it, except for lost: no lost events are an\n" +
			"answer.\n\n" +
			"With -p, -n or --port it records a process first, until Ctrl-C or --duration, with the providers of\n" +
			"--profile.\n\n" +
			"--schema prints the tables with the unit of each column; with FILEs also those of the types of\n" +
			"events, whose columns are the fields of the payload. A column id has the numbers of rows; columns\n" +
			"such as stack_id refer to them. thread_id and process_id are the ids of the operating system. time\n" +
			"is in nanoseconds since 1970 (UTC), at_ns since the trace's sync time. Each table has the hidden\n" +
			"column file_id; the numbers of rows are different in different files. Grouping by numbers, such as\n" +
			"type_id, is faster than by texts: name them at the end, as the ready queries do.\n\n" +
			"A statement cannot change or write anything. It ends with an error if it takes longer than\n" +
			"--timeout, or more memory beside the tables than 128 MiB and 64 bytes for each of their rows.\n\n" +
			"With --workers, several goroutines read a file, also a .zst that this program wrote.\n" +
			"The rows are the same. Together they need more time of the processor and more memory than one.\n" +
			"One goroutine reads files of version 3.",
		Example: "  nettrace query trace.nettrace top-self\n" +
			"  nettrace query trace.nettrace \"SELECT name, count(*) FROM events GROUP BY type_id\"\n" +
			"  nettrace query --json a.nettrace b.nettrace 'SELECT file_id, max(pause_ns) FROM gc GROUP BY 1'\n" +
			"  nettrace query --schema trace.nettrace | grep GCHeapStats",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.limited = cmd.Flags().Changed("limit")
			switch {
			case o.timeout < 0:
				return fmt.Errorf("--timeout: %v is negative", o.timeout)
			case input.CheckWorkers(o.workers) != nil:
				return input.CheckWorkers(o.workers)
			case (o.list || o.schema) && o.workers != 1:
				return errors.New("--workers applies to queries, not to --list and --schema")
			case (o.list || o.schema) && o.limited:
				return errors.New("--limit applies to the rows of a query, not to --list and --schema")
			case o.list && o.schema:
				return errors.New("--list excludes --schema")
			case o.list && len(args) > 0:
				return errors.New("--list takes no files")
			case o.list:
				return printList(p, &o)
			case o.schema:
				return printSchema(cmd.Context(), p, &o, args)
			}
			if err := o.live.Check("query", max(len(args)-1, 0)); err != nil {
				return err
			}
			if o.live.Given() == 0 {
				if cmd.Flags().Changed("profile") {
					return errors.New("--profile needs a process (-p, -n or --port)")
				}
				return o.run(cmd.Context(), p, args)
			}
			if len(args) > 0 && findReady(args[0]) == nil { // before the recording
				if err := check(args[0]); err != nil {
					return err
				}
			}
			name, remove, err := o.live.Record(cmd.Context(), p, "--profile", strings.Join(o.profiles, ","))
			defer remove()
			if err != nil || name == "" {
				return err
			}
			return o.run(cmd.Context(), p, append([]string{name}, args...))
		},
	}
	o.format.AddFlags(cmd, []string{formatTable, formatCSV, choice.JSON}, formatTable, "; JSON is one object for each row")
	o.display.AddFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list the ready queries; with --json or --format csv their SQL too")
	f.BoolVar(&o.schema, "schema", false, "list the tables and columns, with types and units")
	input.AddWorkersFlag(cmd, &o.workers, 1)
	f.Uint64Var(&o.limit, "limit", 1000, "print at most `N` rows; 0 for all, which is the default of csv and json")
	f.DurationVar(&o.timeout, "timeout", 5*time.Minute, "end the query after `TIME`; 0 for no limit")
	o.live.AddFlags(cmd, false)
	f.StringSliceVar(&o.profiles, "profile", provider.DefaultProfiles, "of a process, record the providers of these `PROFILES`: see list-profiles")
	return cmd
}

// rows returns the max number of rows to print, 0 for all.
func (o *options) rows() uint64 {
	if !o.limited && o.format.Name() != formatTable {
		return 0
	}
	return o.limit
}

// run answers a query.
func (o *options) run(ctx context.Context, p *run.Program, args []string) error {
	files, sql, name, err := split(p, args)
	if err != nil {
		return err
	}
	if err := check(sql); err != nil {
		return err
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		late := exit.With(exit.Broken, fmt.Errorf("the query took longer than %v: --timeout allows more", o.timeout))
		ctx, cancel = context.WithTimeoutCause(ctx, o.timeout, late)
		defer cancel()
	}
	traces, end, err := openAll(p, files, o.workers)
	defer end()
	if err != nil {
		return err
	}
	s := &source{ctx: ctx, traces: traces, tables: map[string]*table{}}
	count, err := o.answer(ctx, p, s, sql)
	for i, t := range traces {
		if err == nil {
			err = readAny(ctx, t)
		}
		report(p, files[i], t)
		if s.usesNames() {
			samples.WarnNames(p, files[i], t.Names())
		}
		if why := t.Undivided(); o.workers > 1 && why != "" {
			input.NoteOneWorker(p, files[i], why)
		}
	}
	if err == nil {
		s.complainEmpty(p)
		if name != nil && name.needs != "" && count == 0 {
			p.Complain("%s: nothing to show: no %s in these traces (nettrace report lists what to record)", name.name, name.needs)
			p.Raise(exit.Broken)
		}
	}
	return err
}

// answer runs a statement and prints its rows. It returns their number.
func (o *options) answer(ctx context.Context, p *run.Program, s *source, sql string) (count uint64, err error) {
	e, err := newEngine(ctx, s)
	if err != nil {
		return 0, queryError(ctx, err, s.heap)
	}
	defer e.close()
	rows, err := e.query(ctx, sql)
	if err != nil {
		return 0, queryError(ctx, err, s.heap)
	}
	defer rows.Close()
	w, err := newWriter(p, o, rows)
	if err != nil {
		return 0, queryError(ctx, err, s.heap)
	}
	for rows.Next() && w.more() {
		if err := w.scan(rows); err != nil {
			return 0, queryError(ctx, err, s.heap)
		}
		if err := w.write(); err != nil {
			return 0, exit.WriteError(err)
		}
	}
	if err := rows.Err(); err != nil {
		return 0, errors.Join(exit.WriteError(w.end()), queryError(ctx, err, s.heap))
	}
	return w.count, exit.WriteError(w.end())
}

// queryError returns the error of a query with its exit code: the deadline, a lack of memory,
// or a mistake in the query. heap is what SQLite could use.
func queryError(ctx context.Context, err error, heap int64) error {
	var failed *sqlite.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &failed) && failed.Code()&0xff == lib.SQLITE_NOMEM:
		return exit.With(exit.Broken, fmt.Errorf("out of memory: the statement needs more than %d MiB for its sorts, groups and texts: "+
			"choose a period, group by a number such as type_id, or write the tables for another program (nettrace convert --format parquet)", heap>>20))
	case errors.As(err, &failed) && slices.Contains([]int{lib.SQLITE_IOERR, lib.SQLITE_FULL}, failed.Code()&0xff):
		return exit.With(exit.Broken, err)
	case !strings.Contains(err.Error(), "no such table") && !strings.Contains(err.Error(), "no such column"):
		return exit.With(exit.Usage, err)
	}
	return exit.With(exit.Usage, fmt.Errorf("%w (nettrace query --schema FILE lists the tables and columns)", err))
}

// mistyped matches what looks like the name of a file or a ready query.
var mistyped = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w./-]*\w[\w./-]*$`) })

// split returns the files and the statement of the arguments, with the ready query if it is
// one. The statement is the last argument, or else on standard input. A ready query comes
// before a file of the same name.
func split(p *run.Program, args []string) (files []string, sql string, name *ready, err error) {
	if len(args) == 0 {
		return nil, "", nil, errors.New("query takes at least one file")
	}
	last := args[len(args)-1]
	name = findReady(last)
	_, err = os.Stat(last)
	if err := checkOrder(args); err != nil {
		return nil, "", nil, err
	}
	if len(args) > 1 && (name != nil || err != nil) && last != input.Stdin {
		files, sql = args[:len(args)-1], last
		switch {
		case name != nil:
			sql = name.sql
		case mistyped().MatchString(sql) && !tokens(sql)[0].isAny(first...):
			return nil, "", nil, fmt.Errorf("%s is neither a file nor a ready query (nettrace query --list lists them)", sql)
		}
		return files, sql, name, onlyOnce(files, false)
	}
	if f, ok := p.Stdin.(*os.File); ok && terminal.IsTerminal(f) {
		return nil, "", nil, errors.New("no SQL after the files: nettrace query --list lists ready queries")
	}
	if err := onlyOnce(args, true); err != nil {
		return nil, "", nil, err
	}
	text, err := io.ReadAll(io.LimitReader(p.Stdin, maxStatement+1))
	if err != nil {
		return nil, "", nil, exit.With(exit.Usage, fmt.Errorf("standard input: %w", err))
	}
	return args, string(text), nil, nil
}

// checkOrder returns an error if a statement or a ready query is the only argument, or comes
// before a file.
func checkOrder(args []string) error {
	for i, arg := range args {
		_, err := os.Stat(arg)
		if isFile := err == nil || arg == input.Stdin; isFile || findReady(arg) == nil && check(arg) != nil {
			continue
		}
		switch {
		case len(args) == 1:
			return errors.New("the file is missing: nettrace query FILE... {SQL | NAME}")
		case i < len(args)-1:
			return errors.New("the SQL is the last argument, after the files: nettrace query FILE... {SQL | NAME}")
		}
	}
	return nil
}

// onlyOnce returns an error if standard input is a file and has the statement, or is a file
// twice.
func onlyOnce(files []string, statement bool) error {
	used := 0
	for _, name := range files {
		if name == input.Stdin {
			used++
		}
	}
	switch {
	case used > 0 && statement:
		return errors.New("standard input cannot be a trace and the SQL: pass the SQL after the files")
	case used > 1:
		return errors.New("standard input can be one of the files only")
	}
	return nil
}

// openAll opens the traces. end closes them.
func openAll(p *run.Program, files []string, workers int) (list []*columns.Trace, end func(), err error) {
	var opened []*input.File
	end = func() {
		for _, in := range opened {
			in.Close()
		}
	}
	for _, name := range files {
		t, in, err := open(p, name, workers)
		if in != nil {
			opened = append(opened, in)
		}
		if err != nil {
			return nil, end, err
		}
		list = append(list, t)
	}
	return list, end, nil
}

// open opens a trace. It returns the file also if several goroutines read it, which must be
// closed then.
func open(p *run.Program, name string, workers int) (*columns.Trace, *input.File, error) {
	again, err := opener(p, name)
	if err != nil {
		return nil, nil, err
	}
	opt := columns.Options{
		Open: again, Name: name, Reader: input.ReaderOptions(false), Profile: profile.LargeLimits(), Analysis: analysis.LargeLimits(),
	}
	var in *input.File
	switch {
	case name == input.Stdin && workers > 1:
		input.NoteOneWorker(p, name, "it is standard input")
	case name != input.Stdin && workers != 1:
		if in, err = input.Open(p, name, input.Options{Silent: true}); err != nil {
			return nil, nil, err
		}
		in.EndProgress() // the rows are printed before it is closed
		if n := in.Workers(workers); n > 1 {
			opt.Chunks = columns.Chunks{At: in.Random(), Size: in.Random().Size(), Workers: n}
		} else {
			in.NoteOneWorker(p, workers, nil)
		}
	}
	t, err := columns.New(opt)
	if err == nil || exit.HasCode(err) {
		return t, in, err
	}
	return nil, in, exit.With(input.ExitCode(err), input.FileError(name, errors.New(input.ErrorText(err))))
}

// readAny reads a trace of which the query needs nothing, for the errors of the stream.
func readAny(ctx context.Context, t *columns.Trace) (err error) {
	if t.Reader() == nil {
		_, err = t.Tables(ctx)
	}
	return err
}

// report prints what is wrong with a trace, and what is left out.
func report(p *run.Program, name string, t *columns.Trace) {
	r := t.Reader()
	if r == nil { // no rows were read
		if err := t.Err(); err != nil {
			p.Complain("%v", input.FileError(name, errors.New(input.ErrorText(err))))
			p.Raise(input.ExitCode(err))
		}
		return
	}
	for _, text := range t.LeftOut().Warnings() {
		p.Complain("%v", input.FileError(name, errors.New("warning: "+text)))
	}
	in, err := stored(p, name)
	if err != nil {
		p.Complain("%v", err)
		p.Raise(exit.Broken)
		return
	}
	defer in.Close()
	input.Report(p, in, r, t.Err())
	input.ReportUndefined(p, name, r)
	input.ReportLost(p, name, r)
}

// stored opens a file that was read, for the number of bytes that were not.
func stored(p *run.Program, name string) (*input.File, error) {
	if name == input.Stdin {
		return input.FromBytes(name, nil), nil
	}
	return input.Open(p, name, input.Options{Silent: true})
}

// complainEmpty prints which tables of the query have no rows.
func (s *source) complainEmpty(p *run.Program) {
	var names []string
	for _, t := range s.tables {
		total := 0
		for _, one := range t.parts {
			total += one.rows()
		}
		if t.wanted && s.loaded && total == 0 && t.name != "lost" {
			names = append(names, t.name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		p.Complain("the table %s has no rows in these traces (nettrace report lists what to record)", name)
	}
}
