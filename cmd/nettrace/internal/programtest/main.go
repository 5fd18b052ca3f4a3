package programtest

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/complete"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// root makes the root command of the program that a package tests.
var root run.Root

// Main runs the tests of a package with a program that has the given commands only: a test
// binary does not link the others, and is not built anew when they change. A process that
// Process has started is the program.
func Main(m *testing.M, commands ...func(*run.Program) *cobra.Command) {
	MainOf(m, func(p *run.Program, _ []string) *cobra.Command {
		root := &cobra.Command{Use: "nettrace"}
		for _, command := range commands {
			root.AddCommand(command(p))
		}
		complete.Register(root)
		return root
	})
}

// MainOf is Main with the root command of the complete program.
func MainOf(m *testing.M, of run.Root) {
	root = of
	if os.Getenv("NETTRACE_TEST_MAIN") != "" {
		run.Main("nettrace", root)
	}
	// By nohup and by a shell that starts a process in the background: the processes that
	// tests start would ignore them too.
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Exit(m.Run())
}

// RunContext runs a command line in this process and returns the exit code. When the context
// is done, the commands that read traces to the end stop.
func RunContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &run.Program{Stdin: stdin, Stdout: stdout, Stderr: stderr, Root: root}
	return p.Execute(ctx, root(p, args), args)
}
