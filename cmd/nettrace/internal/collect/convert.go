package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
)

// Values of --format besides those of formats.Derived.
const (
	traceFormat = "NetTrace"
	pageFormat  = "html"
)

// formatNames returns the values of --format.
func formatNames() []string {
	return append(append([]string{traceFormat}, formats.Derived()...), pageFormat)
}

// conversion is the second file that is made from a recording when it has ended.
type conversion struct {
	name      string
	format    *formats.Format // nil: the page
	extension string          // of the file
}

// parseConversion returns the conversion of --format, nil for NetTrace. If the name of the
// output is that of the converted file, it replaces the name by that of the trace.
func (o *options) parseConversion() (*conversion, error) {
	if strings.EqualFold(o.format, traceFormat) {
		return nil, nil
	}
	c := &conversion{name: strings.ToLower(o.format), format: formats.Find(o.format), extension: "." + pageFormat}
	switch {
	case c.format == nil && c.name != pageFormat:
		return nil, fmt.Errorf("--format: %q is none of %s", o.format, strings.Join(formatNames(), ", "))
	case c.format != nil && c.format.IsTrace():
		return nil, fmt.Errorf("--format %s: collect writes the version that the process sends; nettrace convert --format %s converts it", c.name, c.name)
	case c.format != nil && c.format.Tables:
		return nil, fmt.Errorf("--format %s is a folder of tables: nettrace convert --format %s makes it of the trace", c.name, c.name)
	case o.ring != "" || o.output == output.Stdout:
		return nil, fmt.Errorf("--format %s needs a file as output: no --ring, no -o -; nettrace convert reads standard input and the files of a ring", c.name)
	}
	named := ""
	if c.format != nil {
		c.extension = c.format.Extension()
		named = c.format.Suffix(o.output)
	} else if strings.HasSuffix(strings.ToLower(o.output), c.extension) {
		named = o.output[len(o.output)-len(c.extension):]
	}
	if named != "" {
		c.extension = named
		o.output = strings.TrimSuffix(o.output, named) + ".nettrace"
	}
	return c, nil
}

// agrees returns an error if the recording cannot have what the format shows. dump reports
// that it is a heap dump.
func (c *conversion) agrees(dump bool) error {
	switch {
	case c == nil:
	case c.format != nil && c.format.WriteHeap != nil && !dump:
		return fmt.Errorf("--format %s needs --profile %s", c.name, gcdump)
	case c.format != nil && c.format.Write != nil && dump:
		return fmt.Errorf("--profile %s records no samples for --format %s: use --format heapsnapshot, or html", gcdump, c.name)
	}
	return nil
}

// fileFor returns the name of the file that is made from a trace.
func (c *conversion) fileFor(trace string) string {
	stem, _, _ := splitName(trace)
	return stem + c.extension
}

// free returns an error if the file that is made from a trace must not be written.
func (c *conversion) free(o *options, trace string) error {
	if c == nil {
		return nil
	}
	return o.free(c.fileFor(trace))
}

// convert makes the second file of a recording. It prints the reason if there is none.
func (c *collecting) convert(trace string) (ok bool) {
	made := c.o.conversion
	if made == nil {
		return true
	}
	if _, err := os.Stat(trace); errors.Is(err, os.ErrNotExist) {
		return false // nothing was recorded, which printResult has printed
	}
	c.converting.Add(1)
	defer c.converting.Add(-1)
	name := made.fileFor(trace)
	p := &run.Program{Stdin: c.p.Stdin, Stdout: c.p.Stdout, Stderr: c.p.Stderr, Interrupts: c.p.Interrupts, Progress: c.p.Progress}
	err := made.run(c.giveUp, p, trace, output.Target{Name: name, Force: c.o.force})
	switch {
	case errors.Is(context.Cause(c.giveUp), errAborted):
		c.p.Complain("%s: not written: interrupted; the recording is in %s", name, trace)
		return false
	case err != nil:
		c.p.Complain("%s: not written: %v; the recording is in %s", name, err, trace)
		return false
	}
	c.p.Complain("%s: written from %s", name, trace)
	return p.Code == exit.Done
}

// run converts a trace.
func (c *conversion) run(ctx context.Context, p *run.Program, trace string, to output.Target) error {
	if c.format == nil {
		return tracedoc.WritePage(ctx, p, trace, tracedoc.Page{Output: to})
	}
	job := formats.Conversion{Format: c.format, From: trace, To: to}
	job.Selection.Workers = 1 // the recorded process needs the other processors
	return job.Run(ctx, p)
}
