// Command nettrace-columns writes the tables of a trace as Parquet files, one for each
// table. It is a program of its own because of its size; nettrace convert --format parquet
// runs it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace-columns/internal/export"
)

const usage = `nettrace-columns writes the tables of a trace as Parquet files, one for each table.

Usage:
  nettrace-columns -o DIR [--tables NAMES] [--partition KEYS] [--force] [--workers N] FILE

Example:
  nettrace-columns -o out trace.nettrace && duckdb -c "FROM 'out/gc.parquet'"

Flags:
  -o DIR            write the files to DIR, which is made
  --tables NAMES    write only these tables, such as events,stacks,functions; tables of an
                    earlier run with other names remain
  --partition KEYS  write to DIR/TABLE/file=NAME/process_id=N: file, process or file,process
  --force           replace files that exist, when all new ones are complete; without --tables,
                    DIR must not have tables of another trace
  --workers N       read with N goroutines, which takes less time and more processor time;
                    0: one for each core if the file is uncompressed and has over 64 MiB (default 1)

nettrace query --schema FILE lists the tables and columns. Times are nanoseconds in UTC.
Files that exist are not replaced without --force. Exit codes: 0, 1 the trace is malformed
(its readable part was written), 2 the command line is wrong or a file cannot be written.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs a command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o export.Options
	flags := flag.NewFlagSet("nettrace-columns", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.Dir, "o", "", "")
	flags.Func("tables", "", func(names string) error {
		if names == "" {
			return errors.New("the value is empty")
		}
		o.Tables = append(o.Tables, strings.Split(names, ",")...)
		return nil
	})
	flags.StringVar(&o.Partition, "partition", "", "")
	flags.BoolVar(&o.Force, "force", false, "")
	flags.IntVar(&o.Workers, "workers", 1, "")
	err := flags.Parse(args)
	switch {
	case err == flag.ErrHelp:
		fmt.Fprint(stdout, usage)
		return 0
	case err == nil && o.Dir == "":
		err = fmt.Errorf("-o DIR is missing")
	case err == nil && flags.NArg() != 1:
		err = fmt.Errorf("the program takes one file, not %d", flags.NArg())
	case err == nil && o.Workers < 0:
		err = fmt.Errorf("--workers: a number below 0")
	}
	if err != nil {
		fmt.Fprintf(stderr, "nettrace-columns: %v\nRun 'nettrace-columns --help' for usage.\n", err)
		return 2
	}
	o.Name = flags.Arg(0)
	warnings, err := export.Run(ctx, &o)
	for _, w := range warnings {
		fmt.Fprintf(stderr, "nettrace-columns: %s: %s\n", o.Name, w)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "nettrace-columns: %v\n", err)
	if export.IsMalformed(err) {
		return 1
	}
	return 2
}
