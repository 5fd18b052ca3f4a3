package conformance

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

func conformanceListCommand(p *run.Program) *cobra.Command {
	var flags terminal.Flags
	cmd := &cobra.Command{
		Use:   "list [PATTERN...]",
		Short: "List the cases",
		Long: "list prints the names of the cases. For a case with a fault it also prints the violated rule and\n" +
			"the offset of the violation. On a terminal it prints a table, otherwise a line for each case, with\n" +
			"a tab after the name.",
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := chosen(args)
			if err != nil {
				return err
			}
			screen, text := flags.Screen(p.Stdout), caseLines
			if screen.Terminal {
				text = caseTable
			}
			_, err = p.Stdout.Write(text(list, screen))
			return exit.WriteError(err)
		},
	}
	flags.AddFlags(cmd)
	return cmd
}

// caseLines returns a line for each case.
func caseLines(list []cases.Case, screen terminal.Screen) (b []byte) {
	for _, c := range list {
		b = append(b, c.Name...)
		if c.Fault.Rule != 0 {
			b = append(append(b, '\t'), screen.Paint(terminal.Cyan, c.Fault.Rule.String())...)
			b = fmt.Appendf(b, " @%d", c.Fault.Offset)
		}
		b = append(b, '\n')
	}
	return b
}

// caseTable returns a table of the cases.
func caseTable(list []cases.Case, screen terminal.Screen) []byte {
	table := terminal.Table{Columns: []terminal.Column{{Title: "CASE", Overflow: terminal.Cut}, {Title: "RULE"}, {Title: "OFFSET", Right: true}}}
	for _, c := range list {
		row := terminal.Cells(c.Name)
		if c.Fault.Rule != 0 {
			row = append(row, terminal.Cell{Text: c.Fault.Rule.String(), Color: terminal.Cyan}, terminal.Cell{Text: strconv.FormatInt(c.Fault.Offset, 10)})
		}
		table.Add(row...)
	}
	return table.Append(nil, screen)
}
