// Package bench is the command bench, which measures how fast traces are read.
package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
)

// options are the flags of bench.
type options struct {
	count  int
	format choice.Format
}

// Command returns the command bench.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "bench FILE...",
		Short: "Measure the speed of reading trace files",
		Long: "bench reads each file from memory: all blocks, and each event with its type. After one pass that\n" +
			"is not measured it reads each file --count times, in turn. It prints a line for each pass, in the\n" +
			"format of Go benchmarks, for benchstat. The time does not include decompression.\n\n" +
			"With --format json it prints one object for each pass:\n\n" +
			"  file             the name of the file\n" +
			"  pass             1 to --count\n" +
			"  events           events read\n" +
			"  bytes            size of the uncompressed stream\n" +
			"  nanoseconds      time of the pass\n" +
			"  eventsPerSecond  events in a second\n" +
			"  bytesPerSecond   bytes in a second",
		Example: "  nettrace bench trace.nettrace > old.txt\n" +
			"  nettrace bench trace.nettrace > new.txt && benchstat old.txt new.txt\n" +
			"  nettrace bench *.nettrace | benchstat -col /file -\n" +
			"  nettrace bench --json trace.nettrace | jq .eventsPerSecond",
		Args: run.SomeFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			if o.count < 1 {
				return errors.New("--count is less than 1")
			}
			return measureFiles(p, args, &o)
		},
	}
	cmd.Flags().IntVar(&o.count, "count", 10, "read each file `N` times")
	o.format.AddTextFlags(cmd)
	return cmd
}

// benchHead has the configuration lines of benchstat: the platform, and for each unit
// whether lower or higher is better.
var benchHead = "goos: " + runtime.GOOS + "\ngoarch: " + runtime.GOARCH + "\npkg: github.com/nettrace-go/nettrace/codec\n" +
	"Unit ns/event better=lower\nUnit MB/s better=higher\nUnit events/s better=higher\n"

// measured is a file that is read several times.
type measured struct {
	in   *input.File
	name string
	data []byte
	r    *codec.Reader
}

func measureFiles(p *run.Program, names []string, o *options) error {
	var files []*measured
	for _, name := range names {
		m, err := load(p, name)
		if err != nil {
			finishFile(p, err)
			continue
		}
		_ = m.pass()
		input.Report(p, m.in, m.r, m.r.Err())
		if m.r.Count() > 0 {
			files = append(files, m)
		}
	}
	if len(files) == 0 {
		return nil
	}
	line := (*measured).text
	if o.format.IsJSON() {
		line = (*measured).json
	} else if _, err := io.WriteString(p.Stdout, benchHead); err != nil {
		return exit.WriteError(err)
	}
	bar := input.NewBar(p, int64(o.count)*size(files), false)
	defer bar.Stop()
	for n := range o.count {
		for _, m := range files {
			one := m.pass()
			one.number = n + 1
			bar.Advance(int64(len(m.data)), "")
			if _, err := p.Stdout.Write(line(m, one)); err != nil {
				return exit.WriteError(err)
			}
		}
	}
	return nil
}

// size returns the bytes of all files.
func size(files []*measured) (bytes int64) {
	for _, m := range files {
		bytes += int64(len(m.data))
	}
	return bytes
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
	return &measured{in: input.FromBytes(name, data), name: name, data: data, r: codec.NewBytesReader(nil, input.ReaderOptions(false))}, nil
}

// pass is one measurement of a file.
type pass struct {
	number int // from 1
	events int64
	time   time.Duration // at least 1 ns
}

// pass reads the file once.
func (m *measured) pass() pass {
	types := uint64(0)
	start := time.Now()
	m.r.ResetBytes(m.data)
	for e, err := range m.r.Events() {
		if err != nil {
			break
		}
		types += uint64(e.ID())
	}
	took := time.Since(start)
	runtime.KeepAlive(types)
	return pass{events: m.r.Count(), time: max(1, took)}
}

// text returns the line of a pass for benchstat. The name of a benchmark has no blanks, and its keys have
// no slashes.
func (m *measured) text(one pass) []byte {
	name := strings.Map(func(c rune) rune {
		if c <= ' ' || c == '/' || c == '=' {
			return '_'
		}
		return c
	}, filepath.Base(m.name))
	return fmt.Appendf(nil, "BenchmarkRead/file=%s \t1\t%.4g ns/event\t%.4g MB/s\t%.4g events/s\n",
		name, float64(one.time)/float64(one.events), one.perSecond(int64(len(m.data)))/1e6, one.perSecond(one.events))
}

// json returns the object of a pass, on a line.
func (m *measured) json(one pass) []byte {
	var j jsontext.Builder
	j.Open('{')
	j.Key("file").Text(m.name)
	j.Key("pass").Number(int64(one.number))
	j.Key("events").Number(one.events)
	j.Key("bytes").Number(int64(len(m.data)))
	j.Key("nanoseconds").Number(int64(one.time))
	j.Key("eventsPerSecond").Float(one.perSecond(one.events))
	j.Key("bytesPerSecond").Float(one.perSecond(int64(len(m.data))))
	j.Close('}')
	return append(j.Bytes, '\n')
}

// perSecond returns the rate of n events or bytes in a pass.
func (p pass) perSecond(n int64) float64 { return float64(n) / p.time.Seconds() }

// finishFile reports a file that cannot be measured. The other files are still measured.
func finishFile(p *run.Program, err error) {
	p.Complain("%v", err)
	if code, ok := exit.CodeOf(err); ok {
		p.Raise(code)
	}
}
