// Command nettrace-beam adds up what is in many traces with Apache Beam:
//
//	nettrace-beam --traces 'traces/*.nettrace*' --output all.nts --dead_letters dead.ndjson --runner prism
//
// The flags of Beam choose the runner and its workers. Exit codes: 0, 1 some files could not
// be read, or only in part, 2 the command line is wrong or the pipeline failed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	tracebeam "github.com/nettrace-go/nettrace/integrations/beam"
)

func init() {
	register.DoFn2x1[context.Context, []byte, error](&writeFn{})
	register.DoFn3x1[context.Context, []byte, func(*tracebeam.DeadLetter) bool, error](&writeLettersFn{})
	register.Iter1[tracebeam.DeadLetter]()
	beam.RegisterType(reflect.TypeFor[writeFn]())
}

func main() {
	traces := flag.String("traces", "", "glob of the traces; required")
	output := flag.String("output", "", "file of the summary; required")
	letters := flag.String("dead_letters", "", "file of the files that could not be read, a JSON object on each line; required")
	flag.Parse()
	beam.Init()
	failed, err := run(context.Background(), *traces, *output, *letters)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "nettrace-beam:", err)
		os.Exit(2)
	case failed > 0:
		fmt.Fprintf(os.Stderr, "nettrace-beam: files that could not be read, or only in part: %d (%s lists them)\n", failed, *letters)
		os.Exit(1)
	}
}

// run executes the pipeline. It returns the number of dead letters.
func run(ctx context.Context, traces, output, letters string) (failed int, err error) {
	if traces == "" || output == "" || letters == "" {
		return 0, fmt.Errorf("--traces, --output and --dead_letters are required")
	}
	names, err := list(ctx, traces)
	if err != nil {
		return 0, err
	}
	p, s := beam.NewPipelineWithRoot()
	sums, dead := tracebeam.Summarize(s, beam.CreateList(s, names))
	beam.ParDo0(s, &writeFn{Name: output}, sums)
	beam.ParDo0(s, &writeLettersFn{Name: letters}, beam.Impulse(s), beam.SideInput{Input: dead})
	if f := flag.Lookup("runner"); f != nil && f.Value.String() == "prism" {
		_, err = prism.Execute(ctx, p)
	} else {
		err = beamx.Run(ctx, p)
	}
	if err != nil {
		return 0, err
	}
	return count(ctx, letters)
}

// list returns the names of the files that a glob matches.
func list(ctx context.Context, glob string) ([]string, error) {
	files, err := filesystem.New(ctx, glob)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	names, err := files.List(ctx, glob)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("--traces %s: no file matches", glob)
	}
	slices.Sort(names)
	return names, err
}

// count returns the number of lines of a file.
func count(ctx context.Context, name string) (int, error) {
	files, err := filesystem.New(ctx, name)
	if err != nil {
		return 0, err
	}
	defer files.Close()
	r, err := files.OpenRead(ctx, name)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return bytes.Count(data, []byte("\n")), err
}

// writeFn writes its element as a file.
type writeFn struct{ Name string }

// ProcessElement writes the file.
func (f *writeFn) ProcessElement(ctx context.Context, data []byte) error {
	return write(ctx, f.Name, data)
}

// writeLettersFn writes dead letters as a file, a JSON object on each line, by name.
type writeLettersFn struct{ Name string }

// ProcessElement writes the file.
func (f *writeLettersFn) ProcessElement(ctx context.Context, _ []byte, next func(*tracebeam.DeadLetter) bool) error {
	var lines []string
	for letter := (tracebeam.DeadLetter{}); next(&letter); {
		line, err := json.Marshal(letter)
		if err != nil {
			return err
		}
		lines = append(lines, string(line)+"\n")
	}
	slices.Sort(lines)
	var all []byte
	for _, line := range lines {
		all = append(all, line...)
	}
	return write(ctx, f.Name, all)
}

func write(ctx context.Context, name string, data []byte) error {
	files, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer files.Close()
	w, err := files.OpenWrite(ctx, name)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		w.Close()
		return err
	}
	return w.Close()
}
