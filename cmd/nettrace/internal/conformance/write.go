package conformance

import (
	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

func conformanceWriteCommand(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "write -- COMMAND",
		Short: "Judge a writer",
		Long: "write gives a writer the lines of each valid case on its standard input: trace, metadata, thread,\n" +
			"event, sequencePoint, removeThread and flush, as nettrace events --format ndjson --rows prints them.\n" +
			"The writer writes the trace to its standard output, of the version that the trace line names, and\n" +
			"exits with 0; or with 3, and nothing written, when it has no way to say a line.\n\n" +
			"What it wrote is read back and compared by meaning: the same rows and events. Borders of blocks,\n" +
			"ids, the order of rows and further sequence points are the writer's own. Then it is held against\n" +
			"the rules of the format, those about payloads with them.\n\n" +
			"Exit codes: 0 no failure but the known ones; 1 failures, or known ones that pass; 2 usage.",
		Example: "  nettrace conformance write -- my-writer",
		Args:    aCommand,
		RunE:    func(_ *cobra.Command, args []string) error { return judgeCommand(p, args, &o, runner.Write) },
	}
	o.addFlags(cmd)
	return cmd
}
