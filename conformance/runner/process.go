package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"time"

	"github.com/nettrace-go/nettrace/conformance/adapter"
)

// reply is what a program answered for a case.
type reply struct {
	exit   adapter.Exit
	out    []byte
	stderr []byte
}

// reader is a reader under test.
type reader interface {
	// ask gives it a trace. The error is trouble with the program itself; the
	// reply then has its standard error only.
	ask(trace []byte) (reply, error)
	close()
}

// program is a reader that is started anew for each trace.
type program struct {
	command []string
	timeout time.Duration
}

func (p *program) close() {}

func (p *program) ask(trace []byte) (reply, error) { return run(p.command, p.timeout, trace) }

// run runs a command to its end. An exit code is no error.
func run(command []string, timeout time.Duration, input []byte) (reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	failed := reply{stderr: stderr.Bytes()}
	var exit *exec.ExitError
	code := adapter.Read
	switch {
	case ctx.Err() != nil:
		return failed, fmt.Errorf("no answer within %v", timeout)
	case err == nil:
	case !errors.As(err, &exit):
		if cmd.ProcessState == nil {
			return failed, &startError{err}
		}
	case exit.ExitCode() < 0 || exit.ExitCode() > int(adapter.Unsupported) || exit.ExitCode() == 2:
		return failed, fmt.Errorf("crashed: %v", exit)
	default:
		code = adapter.Exit(exit.ExitCode())
	}
	return reply{code, stdout.Bytes(), stderr.Bytes()}, nil
}

// startError means that a program cannot be run at all.
type startError struct{ error }

// server is a reader that answers many requests. Behind a crash it is started
// again.
type server struct {
	command []string
	timeout time.Duration
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     io.Reader
	// stderr is a file, not a pipe: what a program writes before its answer is in the
	// file when the answer has been read.
	stderr *os.File
	seen   int64 // bytes of stderr that belong to earlier cases
}

func (s *server) start() error {
	s.cmd = exec.Command(s.command[0], s.command[1:]...)
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return &startError{err}
	}
	if s.out, err = s.cmd.StdoutPipe(); err != nil {
		return &startError{err}
	}
	if s.stderr, err = os.CreateTemp("", "nettrace-stderr-"); err != nil {
		s.cmd = nil
		return &startError{err}
	}
	s.cmd.Stderr, s.seen = s.stderr, 0
	if err = s.cmd.Start(); err != nil {
		s.cmd = nil
		s.removeStderr()
		return &startError{err}
	}
	return nil
}

// close ends the program, if it runs.
func (s *server) close() {
	if s.cmd == nil {
		return
	}
	s.end()
	s.cmd = nil
	s.removeStderr()
}

// end waits for the end of the program: its input ends, and if it does not, it is
// killed.
func (s *server) end() {
	s.in.Close()
	kill := time.AfterFunc(s.timeout, func() { _ = s.cmd.Process.Kill() })
	_, _ = io.Copy(io.Discard, s.out)
	_ = s.cmd.Wait()
	kill.Stop()
}

func (s *server) removeStderr() {
	_ = s.stderr.Close()
	_ = os.Remove(s.stderr.Name())
}

// complaints returns what the program wrote to its standard error since the last
// call.
func (s *server) complaints() []byte {
	text, err := io.ReadAll(io.NewSectionReader(s.stderr, s.seen, math.MaxInt64-s.seen))
	if err != nil {
		return nil
	}
	s.seen += int64(len(text))
	return text
}

func (s *server) ask(trace []byte) (reply, error) {
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return reply{}, err
		}
	}
	late := time.AfterFunc(s.timeout, func() { _ = s.cmd.Process.Kill() })
	written := make(chan error, 1)
	go func() { written <- adapter.WriteBlob(s.in, trace) }()
	lines, err := adapter.ReadBlob(s.out)
	var exit [1]byte
	if err == nil {
		_, err = io.ReadFull(s.out, exit[:])
	}
	inTime := late.Stop()
	if err != nil {
		_ = s.cmd.Process.Kill()
	}
	if failed := <-written; err == nil {
		err = failed
	}
	if err == nil {
		return reply{adapter.Exit(exit[0]), lines, s.complaints()}, nil
	}
	s.end() // waits for the rest of stderr
	failed := reply{stderr: s.complaints()}
	s.cmd = nil
	s.removeStderr()
	if !inTime {
		return failed, fmt.Errorf("no answer within %v", s.timeout)
	}
	return failed, fmt.Errorf("crashed: %w", err)
}
