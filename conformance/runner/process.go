package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/conformance/adapter"
)

// reader is a reader under test.
type reader interface {
	// ask gives it a trace. The error is trouble with the program itself.
	ask(trace []byte) (exit adapter.Exit, lines []byte, err error)
	close()
}

// program is a reader that is started anew for each trace.
type program struct {
	command []string
	timeout time.Duration
}

func (p *program) close() {}

func (p *program) ask(trace []byte) (adapter.Exit, []byte, error) {
	out, code, err := run(p.command, p.timeout, trace)
	return adapter.Exit(code), out, err
}

// run runs a command to its end. An exit code is no error.
func run(command []string, timeout time.Duration, input []byte) (out []byte, code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &stdout, &stderr
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, 0, fmt.Errorf("no answer within %v", timeout)
	case err == nil:
	case !errors.As(err, &exit):
		if cmd.ProcessState == nil {
			return nil, 0, &startError{err}
		}
	case exit.ExitCode() < 0 || exit.ExitCode() > int(adapter.Unsupported) || exit.ExitCode() == 2:
		return nil, 0, fmt.Errorf("crashed: %v%s", exit, lastLine(stderr.Bytes()))
	default:
		code = exit.ExitCode()
	}
	return stdout.Bytes(), code, nil
}

// startError means that a program cannot be run at all.
type startError struct{ error }

// lastLine is the last line of what a program complained, with a colon before it.
func lastLine(stderr []byte) string {
	text := strings.TrimSpace(string(stderr))
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = strings.TrimSpace(text[i+1:])
	}
	if text == "" {
		return ""
	}
	return ": " + text
}

// server is a reader that answers many requests. Behind a crash it is started
// again.
type server struct {
	command []string
	timeout time.Duration
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     io.Reader
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
	if err = s.cmd.Start(); err != nil {
		s.cmd = nil
		return &startError{err}
	}
	return nil
}

// close ends the program: its input ends, and if it does not, it is killed.
func (s *server) close() {
	if s.cmd == nil {
		return
	}
	s.in.Close()
	kill := time.AfterFunc(s.timeout, func() { _ = s.cmd.Process.Kill() })
	_, _ = io.Copy(io.Discard, s.out)
	_ = s.cmd.Wait()
	kill.Stop()
	s.cmd = nil
}

func (s *server) ask(trace []byte) (adapter.Exit, []byte, error) {
	if s.cmd == nil {
		if err := s.start(); err != nil {
			return 0, nil, err
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
		return adapter.Exit(exit[0]), lines, nil
	}
	s.close()
	if !inTime {
		return 0, nil, fmt.Errorf("no answer within %v", s.timeout)
	}
	return 0, nil, fmt.Errorf("crashed: %w", err)
}
