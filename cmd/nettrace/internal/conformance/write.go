package conformance

import (
	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

func conformanceWriteCommand(p *run.Program) *cobra.Command {
	o := options{accepts: runner.Writable}
	cmd := &cobra.Command{
		Use:   "write -- COMMAND",
		Short: "Test a writer with the conformance cases",
		Long: "write starts COMMAND for each valid case and sends it the lines of the case on its standard input:\n" +
			"trace, metadata, thread, event, sequencePoint, removeThread and flush, in the form that nettrace\n" +
			"events --format ndjson --rows prints. COMMAND writes the trace to its standard output, in the\n" +
			"version that the trace line names, and exits with 0. If it cannot express a line, it writes nothing\n" +
			"and exits with 3.\n" +
			"\n" +
			"write reads the result and compares its rows and events with those of the case. Boundaries of\n" +
			"blocks, ids, the order of rows and additional sequence points may differ. Then write checks the\n" +
			"result against the rules of the format, also those about payloads.\n" +
			"\n" +
			"The exit code is 1 if a case fails that is not a known failure, or if a known failure passes.",
		Example: "  nettrace conformance write -- my-writer",
		Args:    aCommand,
		RunE:    func(_ *cobra.Command, args []string) error { return testCommand(p, args, &o, runner.Write) },
	}
	o.addFlags(cmd)
	return cmd
}
