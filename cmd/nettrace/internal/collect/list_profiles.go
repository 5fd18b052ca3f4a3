package collect

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// ListProfilesCommand returns the command list-profiles.
func ListProfilesCommand(p *run.Program) *cobra.Command {
	var flags terminal.Flags
	cmd := &cobra.Command{
		Use:   "list-profiles",
		Short: "List the profiles of collect and their providers",
		Long: "list-profiles prints the values of the flag --profile of collect and events, and for each the\n" +
			"providers that it records, with their keywords and levels.",
		Example: "  nettrace list-profiles",
		Args:    run.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := p.Stdout.Write(profileTable(flags.Screen(p.Stdout)))
			return exit.WriteError(err)
		},
	}
	flags.AddFlags(cmd)
	return cmd
}

// profileTable has a line for each profile and one for each of its providers.
func profileTable(screen terminal.Screen) []byte {
	var b []byte
	for i := range provider.Profiles {
		profile := &provider.Profiles[i]
		line := screen.Paint(terminal.Bold, profile.Name) + " - " + profile.Description
		b = append(append(b, screen.Wrap(line, profileIndent+2)...), '\n')
		table := terminal.Table{NoTitle: true, Indent: profileIndent, Columns: []terminal.Column{{Overflow: terminal.Cut}, {Right: true}, {}}}
		for _, one := range profile.Providers {
			table.Add(terminal.Cells(one.Name, fmt.Sprintf("0x%x", one.Keywords), fmt.Sprintf("level %d", one.Level))...)
		}
		b = table.Append(b, screen)
	}
	return b
}

// profileIndent is the number of columns before the providers of a profile.
const profileIndent = 4
