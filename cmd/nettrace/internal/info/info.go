// Package info is the command info, which summarizes traces.
package info

import (
	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
)

// options are the flags of info.
type options struct {
	format      choice.Format
	display     terminal.Flags
	all, strict bool
}

// Command returns the command info.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "info FILE...",
		Short: "Summarize trace files",
		Long: "info reads each file to its end and prints its format, process, clock, blocks, events by provider\n" +
			"and type, losses by thread, how often threads were sampled, stacks and how many are truncated at\n" +
			"100 frames, and errors in the file. Of a slice it prints the bounds, and the duration within them.",
		Example: "  nettrace info trace.nettrace\n  nettrace info --json a.nettrace b.nettrace.zst | jq .events",
		Args:    run.SomeFiles,
		RunE: func(_ *cobra.Command, files []string) error {
			for i, name := range files {
				if err := printInfo(p, name, &o, i > 0); err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.format.AddTextFlags(cmd)
	o.display.AddFlags(cmd)
	cmd.Flags().BoolVar(&o.all, "all", false, "list every event type and every thread that lost events, not just the top ones")
	cmd.Flags().BoolVar(&o.strict, "strict", false, "stop at the first defect")
	return cmd
}

// printInfo prints the summary of one file. It reports a file that cannot be
// opened; it returns an error only if standard output fails.
func printInfo(p *run.Program, name string, o *options, more bool) error {
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		p.Finish(nil, err)
		return nil
	}
	defer in.Close()
	s := newSummary()
	opt := input.ReaderOptions(o.strict)
	opt.OnLost = s.addLost
	r := codec.NewBlockReader(in, opt)
	s.read(r)
	in.EndProgress()
	if _, err := p.Stdout.Write(s.print(in, o, o.display.Screen(p.Stdout), more)); err != nil {
		return exit.WriteError(err)
	}
	input.Report(p, in, r, s.err)
	input.ReportLost(p, name, r)
	return nil
}

// print returns the text for one file. With more, a blank line is in front of it.
func (s *summary) print(in *input.File, o *options, screen terminal.Screen, more bool) []byte {
	switch {
	case o.format.IsJSON():
		return s.json(in)
	case s.trace == nil:
		return nil
	}
	text := s.text(in, screen, o.all)
	if more {
		text = append([]byte{'\n'}, text...)
	}
	return text
}
