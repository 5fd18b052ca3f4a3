// Package bench is the command bench, which measures how fast traces are read.
package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
)

// Command returns the command bench.
func Command(p *run.Program) *cobra.Command {
	count := 0
	cmd := &cobra.Command{
		Use:   "bench FILE...",
		Short: "Measure how fast files are read",
		Long: "bench reads each file from memory, --count times after a first pass that does not count: all\n" +
			"blocks, and every event with its type. The files take turns. It prints a line a pass in the form\n" +
			"of Go's benchmarks, so that benchstat compares machines, versions and files. Unpacking is not\n" +
			"part of it.",
		Example: "  nettrace bench trace.nettrace > old.txt\n" +
			"  nettrace bench trace.nettrace > new.txt && benchstat old.txt new.txt\n" +
			"  nettrace bench *.nettrace | benchstat -col /file -",
		Args: run.SomeFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			if count < 1 {
				return errors.New("--count is less than 1")
			}
			return measureFiles(p, args, count)
		},
	}
	cmd.Flags().IntVar(&count, "count", 10, "read each file `N` times")
	return cmd
}

// benchHead says what benchstat is to know: the machine, and which way the units
// get better.
var benchHead = "goos: " + runtime.GOOS + "\ngoarch: " + runtime.GOARCH + "\npkg: github.com/nettrace-go/nettrace/codec\n" +
	"Unit ns/event better=lower\nUnit MB/s better=higher\nUnit events/s better=higher\n"

// measured is a file that is read over and over.
type measured struct {
	name string
	data []byte
	r    *codec.Reader
}

func measureFiles(p *run.Program, names []string, count int) error {
	var files []*measured
	for _, name := range names {
		m, err := load(p, name)
		if err != nil {
			finishFile(p, err)
			continue
		}
		_, _ = m.pass()
		input.Report(p, m.name, m.r, m.r.Err())
		if m.r.Count() > 0 {
			files = append(files, m)
		}
	}
	if len(files) == 0 {
		return nil
	}
	if _, err := io.WriteString(p.Stdout, benchHead); err != nil {
		return exit.WriteError(err)
	}
	for range count {
		for _, m := range files {
			took, events := m.pass()
			if _, err := io.WriteString(p.Stdout, m.line(took, events)); err != nil {
				return exit.WriteError(err)
			}
		}
	}
	return nil
}

// load takes a file into memory.
func load(p *run.Program, name string) (*measured, error) {
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	// Data that is not NetTrace is refused before all of it is in memory.
	var start bytes.Buffer
	if _, err := codec.NewReader(io.TeeReader(in, &start), input.ReaderOptions(false)).Trace(); err != nil {
		return nil, exit.With(input.ExitCode(err), input.FileError(name, errors.New(input.ErrorText(err))))
	}
	data, err := io.ReadAll(io.MultiReader(&start, in))
	if err != nil {
		return nil, exit.With(exit.Broken, input.FileError(name, err))
	}
	return &measured{name: name, data: data, r: codec.NewBytesReader(nil, input.ReaderOptions(false))}, nil
}

// pass reads the file once and returns the time and the number of events.
func (m *measured) pass() (took time.Duration, events int64) {
	types := uint64(0)
	start := time.Now()
	m.r.ResetBytes(m.data)
	for e, err := range m.r.Events() {
		if err != nil {
			break
		}
		types += uint64(e.ID())
	}
	took = time.Since(start)
	runtime.KeepAlive(types)
	return took, m.r.Count()
}

// line is that of a pass. A benchmark's name has no blanks, and its keys no
// slashes.
func (m *measured) line(took time.Duration, events int64) string {
	name := strings.Map(func(c rune) rune {
		if c <= ' ' || c == '/' || c == '=' {
			return '_'
		}
		return c
	}, filepath.Base(m.name))
	ns := math.Max(1, float64(took))
	return fmt.Sprintf("BenchmarkRead/file=%s \t1\t%.4g ns/event\t%.4g MB/s\t%.4g events/s\n",
		name, ns/float64(events), float64(len(m.data))/ns*1e3, float64(events)/ns*1e9)
}

// finishFile tells of a file that cannot be measured, and goes on to the next.
func finishFile(p *run.Program, err error) {
	p.Complain("%v", err)
	if code, ok := exit.CodeOf(err); ok {
		p.Raise(code)
	}
}
