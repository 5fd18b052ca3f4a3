package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// File has the flags of a command that reads traces and records a process first: with the
// command collect, into a file that is removed at the end.
type File struct {
	attach.Options
	Duration string // of --duration
}

// AddFlags adds the flags. once says that the recording ends by itself, as a heap dump does.
func (f *File) AddFlags(cmd *cobra.Command, once bool) {
	f.Options.AddFlags(cmd)
	if !once {
		cmd.Flags().StringVar(&f.Duration, "duration", "", "of a process, end the recording after this `TIME`: 30s, 1m30s, or dd:hh:mm:ss (default: at Ctrl-C)")
	}
}

// Check returns an error if the flags and the number of files do not go together.
func (f *File) Check(name string, files int) error {
	switch given := f.Given(); {
	case given > 1:
		return fmt.Errorf("%s takes one of -p, -n and --port", name)
	case given > 0 && files > 0:
		return fmt.Errorf("%s takes a file or a process, not both", name)
	case given == 0 && f.Duration != "":
		return errors.New("--duration needs a process (-p, -n or --port)")
	}
	return nil
}

// Record records the process with further flags of collect, and returns the name of the trace.
// remove deletes it, and is never nil. The name is "" if there is no trace: the reason has been
// printed, and is the exit code.
func (f *File) Record(ctx context.Context, p *run.Program, flags ...string) (name string, remove func(), err error) {
	folder, err := os.MkdirTemp("", "nettrace-temporary-")
	if err != nil {
		return "", func() {}, exit.With(exit.Usage, err)
	}
	remove = func() { os.RemoveAll(folder) }
	args := append([]string{"collect", "-o", folder + string(filepath.Separator)}, f.Args()...)
	if f.Duration != "" {
		args = append(args, "--duration", f.Duration)
	}
	p.Raise(p.Sub(ctx, append(args, flags...)...))
	found, err := filepath.Glob(filepath.Join(folder, "*.nettrace"))
	if err != nil || len(found) == 0 {
		return "", remove, err
	}
	return found[0], remove, nil
}
