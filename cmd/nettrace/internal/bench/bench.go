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
		Short: "Measure the speed of reading trace files",
		Long: "bench reads each file from memory: all blocks, and each event with its type. After one pass that\n" +
			"is not measured it reads each file --count times, in turn. It prints a line for each pass, in the\n" +
			"format of Go benchmarks, for benchstat. The time does not include decompression.",
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

// benchHead has the configuration lines of benchstat: the platform, and for each unit
// whether lower or higher is better.
var benchHead = "goos: " + runtime.GOOS + "\ngoarch: " + runtime.GOARCH + "\npkg: github.com/nettrace-go/nettrace/codec\n" +
	"Unit ns/event better=lower\nUnit MB/s better=higher\nUnit events/s better=higher\n"

// measured is a file that is read several times.
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

// load reads a file into memory.
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

// line returns the line of a pass. The name of a benchmark has no blanks, and its keys have
// no slashes.
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

// finishFile reports a file that cannot be measured. The other files are still measured.
func finishFile(p *run.Program, err error) {
	p.Complain("%v", err)
	if code, ok := exit.CodeOf(err); ok {
		p.Raise(code)
	}
}
