package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/perftrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/perf"
)

// perfOptions are the flags for records of perf.
type perfOptions struct {
	symbols  []string
	kallsyms string
	noUnwind bool
}

// isPerf reports whether a file has records of perf in text, by its name.
func isPerf(name string) bool {
	for _, compressed := range []string{"", ".zst", ".gz"} {
		if strings.HasSuffix(strings.ToLower(name), ".ndjson"+compressed) {
			return true
		}
	}
	return false
}

// mergePerf writes records of perf and the trace of a session in the same process as one file.
func mergePerf(ctx context.Context, p *run.Program, files []string, o *mergeOptions) error {
	records, session := "", ""
	for _, name := range files {
		at := &session
		if isPerf(name) {
			at = &records
		}
		if *at != "" {
			return fmt.Errorf("%s and %s: records of perf (.ndjson) are merged with one trace of the same process", *at, name)
		}
		*at = name
	}
	if o.separate || o.redact != "" {
		return errors.New("--separate and --redact have no effect on records of perf: merge them first")
	}
	rec, err := readPerf(records)
	if err != nil {
		return exit.With(exit.Broken, input.FileError(records, err))
	}
	rec.Open = perftrace.Folders(o.perf.symbols)
	if o.perf.kallsyms != "" {
		f, err := os.Open(o.perf.kallsyms)
		if err != nil {
			return err
		}
		defer f.Close()
		if rec.Kernel, err = perf.ReadKernelSymbols(f); err != nil {
			return exit.Named(o.perf.kallsyms, err)
		}
	}
	job := perftrace.Job{Recording: rec, NoUnwind: o.perf.noUnwind}
	if session != "" {
		job.Session = func() (io.ReadCloser, error) { return perftrace.Open(session) }
	}
	out, err := output.Create(p, &o.Target)
	if err != nil {
		return err
	}
	result, err := job.Write(ctx, out)
	if err != nil {
		out.Discard()
		return exit.With(exit.Broken, err)
	}
	if err := out.Keep(); err != nil {
		return err
	}
	perftrace.Print(p, &result, rec)
	return nil
}

// readPerf reads records in text.
func readPerf(name string) (*perf.Recording, error) {
	in, err := perftrace.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return perf.ReadText(in)
}
