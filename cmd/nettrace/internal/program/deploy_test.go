package program

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestDeployCommands parses the command lines of the manifests and of the systemd unit.
// A test of dev/deploy compares the file with them.
func TestDeployCommands(t *testing.T) {
	text, err := os.ReadFile("../../../../deploy/commands.txt")
	if err != nil {
		t.Skipf("no copy of the repository: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		args := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		t.Run(args[0], func(t *testing.T) { expect.NoError(t, parse(args)) })
	}
}

// TestDeployMistakes tries command lines that parse must refuse.
func TestDeployMistakes(t *testing.T) {
	for _, c := range []struct {
		name, want string
		args       []string
	}{
		{"unknown command", "unknown command", []string{"colect", "--name=app"}},
		{"unknown flag", "unknown flag: --outputs", []string{"collect", "--outputs=x"}},
		{"unknown value", "invalid argument", []string{"collect", "--process-id=one"}},
		{"argument that the command does not take", "takes no argument", []string{"ps", "extra"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := parse(c.args)
			if err == nil {
				t.Fatal("got no error")
			}
			expect.Contains(t, "error", err.Error(), c.want)
		})
	}
}

// TestDeploySidecar runs the command line of the sidecar, without its process.
func TestDeploySidecar(t *testing.T) {
	text, err := os.ReadFile("../../../../deploy/commands.txt")
	if err != nil {
		t.Skipf("no copy of the repository: %v", err)
	}
	t.Chdir(t.TempDir())
	line, _, _ := strings.Cut(string(text), "\n")
	args := strings.Split(strings.ReplaceAll(line, "/traces/", ""), "\t")
	var stdout, stderr bytes.Buffer
	code := Run(args, nil, &stdout, &stderr)
	expect.Equal(t, "exit code", code, exit.Usage)
	expect.Contains(t, "standard error", stderr.String(), "no .NET process has the name aspnetapp")
}

// parse parses a command line without running its command.
func parse(args []string) error {
	command, rest, err := Root(&run.Program{Stdin: strings.NewReader(""), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}, args).Find(args)
	if err != nil {
		return err
	}
	for _, step := range []func(*cobra.Command) error{
		func(c *cobra.Command) error { return c.ParseFlags(rest) },
		func(c *cobra.Command) error { return c.ValidateArgs(c.Flags().Args()) },
		(*cobra.Command).ValidateRequiredFlags,
		(*cobra.Command).ValidateFlagGroups,
	} {
		if err := step(command); err != nil {
			return err
		}
	}
	return nil
}
