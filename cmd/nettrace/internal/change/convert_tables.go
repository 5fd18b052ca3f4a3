package change

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// convertTables writes the tables of a trace to a folder. Another program does so, which
// has the library of the format.
func convertTables(ctx context.Context, p *run.Program, name string, f *formats.Format, o *convertOptions) error {
	switch {
	case name == input.Stdin:
		return fmt.Errorf("--format %s reads the trace several times: standard input cannot be converted", f.Name)
	case o.Name == output.Stdout:
		return fmt.Errorf("--format %s writes a folder, not standard output", f.Name)
	}
	path, err := findProgram(f.Program)
	if err != nil {
		return exit.With(exit.Usage, fmt.Errorf("--format %s runs %s, which is neither in the folder of nettrace nor in PATH "+
			"(go install github.com/nettrace-go/nettrace/cmd/%s@latest installs it)", f.Name, f.Program, f.Program))
	}
	args := []string{"-o", o.Name}
	if o.Force {
		args = append(args, "--force")
	}
	if o.tables != nil {
		args = append(args, "--tables", strings.Join(o.tables, ","))
	}
	if o.partition != "" {
		args = append(args, "--partition", o.partition)
	}
	cmd := exec.CommandContext(ctx, path, append(args, "--", name)...)
	cmd.Stdout, cmd.Stderr = p.Stdout, p.Stderr
	cmd.Cancel = func() error { // the program removes its temporary file
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &ended) && ended.Exited():
		p.Raise(max(ended.ExitCode(), exit.Broken)) // the program printed the reason
		return nil
	case err != nil:
		return exit.With(exit.Broken, fmt.Errorf("%s ended: %w", f.Program, err))
	}
	return nil
}

// findProgram returns the path of a program in the folder of this one, or else in PATH.
func findProgram(name string) (string, error) {
	if own, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), name)); err == nil {
			return path, nil
		}
	}
	return exec.LookPath(name)
}
