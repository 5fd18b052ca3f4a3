package attach

import (
	"context"
	"errors"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// OrderCodes describes the exit codes of Order, for the help of a command.
const OrderCodes = "Exit codes: 0 the process did it; 1 it refused or failed; 2 the command line is wrong, or the\n" +
	"process cannot be reached or does not answer; 3 the runtime does not support the request."

// Order attaches to the process and calls do, which sends commands to its runtime. A signal
// ends the context. The error has an exit code.
func (o *Options) Order(p *run.Program, do func(context.Context, *Process) error) error {
	ctx, stop := p.UntilSignal()
	defer stop()
	a, err := o.Attach(ctx, nil, nil, p.Stderr)
	if err != nil {
		return err
	}
	defer a.End()
	if err = do(ctx, a); err == nil {
		return nil
	}
	return exit.With(orderExitCode(err), a.Named(err))
}

// Named returns an error with the title of the process, if it does not have its PID.
func (a *Process) Named(err error) error {
	if errors.As(err, new(*eventpipe.UnreachableError)) {
		return err
	}
	return exit.Named(a.Title, err)
}

// orderExitCode returns the exit code for an error of a command.
func orderExitCode(err error) int {
	switch {
	case errors.As(err, new(*eventpipe.CommandError)), errors.As(err, new(*eventpipe.ProtocolError)):
		return exit.Broken
	case errors.Is(err, context.Canceled):
		return exit.Interrupted
	}
	if code, ok := exit.CodeOf(err); ok {
		return code
	}
	return SessionExitCode(err)
}
