// Package summaryfile opens files that the command summarize wrote.
package summaryfile

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/summary"
)

// Extension is the end of the name of a summary.
const Extension = input.Summary

// Is reports whether a file is a summary by its name.
func Is(name string) bool { return strings.HasSuffix(name, Extension) }

// Open reads a summary.
func Open(name string) (*summary.Summary, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	s, err := summary.Decode(data)
	if err != nil {
		return nil, exit.With(exit.Broken, input.FileError(name, err))
	}
	return s, nil
}

// Warn prints that files of a summary could not be read, and how many events are lost.
func Warn(p *run.Program, name string, s *summary.Summary) {
	if n := len(s.Failures); n > 0 {
		p.Complain("%v", input.FileError(name, fmt.Errorf("warning: %s could not be read, or only in part", display.Counted(int64(n), "file"))))
	}
	WarnLost(p, name, s)
}

// WarnLost prints how many events of the traces of a summary are lost.
func WarnLost(p *run.Program, name string, s *summary.Summary) {
	if s.Lost > 0 {
		p.Complain("%v", input.FileError(name, fmt.Errorf("warning: %s lost", display.Counted(s.Lost, "event"))))
	}
}

// CheckFlags returns an error if a flag is set that has no effect on a summary.
func CheckFlags(cmd *cobra.Command, with ...string) error {
	allowed := map[string]bool{}
	for _, name := range with {
		allowed[name] = true
	}
	var wrong []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !allowed[f.Name] {
			wrong = append(wrong, "--"+f.Name)
		}
	})
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%s: no effect on a summary, which has sums only", strings.Join(wrong, ", "))
}

// CheckPair returns an error if one of two files that are compared is a summary and the
// other is not.
func CheckPair(before, after string) error {
	switch {
	case Is(before) == Is(after):
		return nil
	case Is(after):
		before, after = after, before
	}
	return fmt.Errorf("%s is a summary and %s a trace, which cannot be compared: nettrace summarize makes a summary of a trace", before, after)
}
