// Snapshot runs the program over traces with its main options and writes what
// came of it: of each command and input the exit code, and hashes of standard
// output, standard error and each written file. Two snapshots of one tree are
// equal; two of different commits show where the program's results changed.
//
//	bin/snapshot -nettrace bin/nettrace -o DIR
//	bin/snapshot compare [-stderr=false] A B
//	bin/snapshot show -nettrace bin/nettrace COMMAND INPUT
//
// The folder DIR gets three files: records.tsv with a line for each command and
// input, inputs.tsv with the hash of each input, and left-out.tsv with the
// commands, flags and inputs that were not run, and the reason. Compare
// prints the records that differ and exits with 1 if there is one. Show runs one
// record and prints what the program wrote. With -only REGEXP a snapshot has a
// part of the records.
//
// The tables of commands are in commands.go. Commands and flags that were
// renamed since the first snapshot are in renames.tsv.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Files of a snapshot.
const (
	recordsFile = "records.tsv"
	inputsFile  = "inputs.tsv"
	leftOutFile = "left-out.tsv"
)

// options are the flags of all modes.
type options struct {
	nettrace   string
	repository string
	shared     string
	out        string
	jobs       int
	stderr     bool
	only       string
}

func (o *options) parse(args []string) ([]string, error) {
	flags := flag.NewFlagSet("snapshot", flag.ContinueOnError)
	flags.StringVar(&o.nettrace, "nettrace", "bin/nettrace", "run the program `BINARY`")
	flags.StringVar(&o.repository, "repository", ".", "read corpora of the repository in `DIR`")
	flags.StringVar(&o.shared, "shared", os.Getenv("NETTRACE_SHARED"), "read the shared material in `DIR` (default: NETTRACE_SHARED, or ../shared beside the repository)")
	flags.StringVar(&o.out, "o", "", "write the snapshot to `DIR`")
	flags.IntVar(&o.jobs, "j", runtime.NumCPU(), "run `N` commands at one time")
	flags.StringVar(&o.only, "only", "", "run only records of which the command, a tab and the input match `REGEXP`")
	flags.BoolVar(&o.stderr, "stderr", true, "compare standard error too")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if o.shared == "" {
		o.shared = filepath.Join(o.repository, "..", "shared")
	}
	var err error
	o.nettrace, err = filepath.Abs(o.nettrace)
	return flags.Args(), err
}

func main() {
	code, err := run(os.Args[1:])
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "snapshot:", err)
	}
	os.Exit(code)
}

// run returns the exit code: 1 for differences, 2 for an error.
func run(args []string) (int, error) {
	mode := "take"
	if len(args) > 0 && (args[0] == "compare" || args[0] == "show") {
		mode, args = args[0], args[1:]
	}
	var o options
	names, err := o.parse(args)
	if err != nil {
		return 2, err
	}
	switch {
	case mode == "compare" && len(names) == 2:
		n, err := compareDirs(os.Stdout, names[0], names[1], o.stderr)
		if err != nil {
			return 2, err
		}
		fmt.Printf("%d records differ\n", n)
		return min(n, 1), nil
	case mode == "show" && len(names) == 2:
		err = o.show(names[0], names[1])
	case mode == "take" && len(names) == 0 && o.out != "":
		err = o.take()
	default:
		err = errors.New("usage: snapshot -nettrace BINARY -o DIR | snapshot compare A B | snapshot show -nettrace BINARY COMMAND INPUT")
	}
	if err != nil {
		return 2, err
	}
	return 0, nil
}
