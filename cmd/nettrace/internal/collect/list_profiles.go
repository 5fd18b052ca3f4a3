package collect

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// ListProfilesCommand returns the command list-profiles.
func ListProfilesCommand(p *run.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "list-profiles",
		Short: "List the profiles of collect and their providers",
		Long: "list-profiles prints the values of the flag --profile of collect and events, and for each the\n" +
			"providers that it records, with their keywords and levels.",
		Example: "  nettrace list-profiles",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := p.Stdout.Write(profileTable())
			return exit.WriteError(err)
		},
	}
}

// profileTable has a line for each profile and one for each of its providers.
func profileTable() []byte {
	var b bytes.Buffer
	for i := range provider.Profiles {
		profile := &provider.Profiles[i]
		fmt.Fprintf(&b, "%s - %s\n", profile.Name, profile.Description)
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, one := range profile.Providers {
			fmt.Fprintf(t, "    %s\t0x%x\tlevel %d\n", one.Name, one.Keywords, one.Level)
		}
		t.Flush()
	}
	return b.Bytes()
}
