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
	var only []string
	cmd := &cobra.Command{
		Use:   "list [PATTERN...]",
		Short: "List the cases",
		Long: "list prints the names of the cases, the basis of the expected result, the violated rule and its\n" +
			"offset (- without a fault), and what the case tests. On a terminal it prints a table, otherwise a\n" +
			"line for each case, with tabs between the columns.",
		Example: "  nettrace conformance list 'invalid/*.v6'\n  nettrace conformance list --only valid/stack",
		RunE: func(_ *cobra.Command, args []string) error {
			list, err := chosen(append(args, only...))
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
	cmd.Flags().StringSliceVar(&only, "only", nil, onlyHelp)
	flags.AddFlags(cmd)
	return cmd
}

// caseLines returns a line for each case.
func caseLines(list []cases.Case, screen terminal.Screen) (b []byte) {
	for _, c := range list {
		fault := "-"
		if c.Fault.Rule != 0 {
			fault = fmt.Sprintf("%s @%d", screen.Paint(terminal.Cyan, c.Fault.Rule.String()), c.Fault.Offset)
		}
		b = fmt.Appendf(b, "%s\t%s\t%s\t%s\n", c.Name, c.Basis, fault, c.About)
	}
	return b
}

// caseTable returns a table of the cases.
func caseTable(list []cases.Case, screen terminal.Screen) []byte {
	table := terminal.Table{Columns: []terminal.Column{
		{Title: "CASE", Overflow: terminal.Cut}, {Title: "BASIS"}, {Title: "RULE"}, {Title: "OFFSET", Right: true}, {Title: "TESTS", Overflow: terminal.Break},
	}}
	for _, c := range list {
		fault, offset := terminal.Cell{}, terminal.Cell{}
		if c.Fault.Rule != 0 {
			fault = terminal.Cell{Text: c.Fault.Rule.String(), Color: terminal.Cyan}
			offset = terminal.Cell{Text: strconv.FormatInt(c.Fault.Offset, 10)}
		}
		row := append(terminal.Cells(c.Name, string(c.Basis)), fault, offset, terminal.Cell{Text: c.About})
		table.Add(row...)
	}
	return table.Append(nil, screen)
}
