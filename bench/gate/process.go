package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// slot describes a process.
type slot struct {
	phase       string
	processes   int // the number of the pair of processes
	side        int
	rows        []string // all if empty
	window      string   // -test.benchtime
	layout      int      // of the code
	wrap        []string // a command that runs the binary
	environment []string
}

// command returns the command of a slot.
func (r *runner) command(ctx context.Context, s slot) *exec.Cmd {
	bench := "."
	if len(s.rows) > 0 {
		bench = pattern(s.rows)
	}
	args := append(slices.Clone(s.wrap), r.work.binary(s.side, s.layout),
		"-test.run=^$", "-test.bench="+bench, "-test.benchtime="+s.window,
		"-test.benchmem", "-test.cpu=1", "-test.count=1", "-test.timeout=1h")
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = r.work.pkgs[s.side]
	cmd.Env = append(cmd.Environ(), s.environment...)
	if s.side == head {
		cmd.Env = append(cmd.Env, r.headEnvironment...)
	}
	return cmd
}

// run runs a process to its end and records its results.
func (r *runner) run(ctx context.Context, s slot) error {
	text, err := r.command(ctx, s).Output()
	if err != nil {
		return r.failure(ctx, s, err, text)
	}
	return r.keep(s, text)
}

// failure returns why a process failed. A failing benchmark is a fault of the
// input; other failures are not.
func (r *runner) failure(ctx context.Context, s slot, err error, text []byte) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("stopped: %w", context.Cause(ctx))
	case errors.As(err, &exit) && exit.Exited():
		return malformed("%s: the benchmarks fail: %w\n%s%s", sideNames[s.side], err, text, exit.Stderr)
	}
	return fmt.Errorf("%s: %w", sideNames[s.side], err)
}

// process is a test binary that runs one row in slices until it is ended.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	text bytes.Buffer // the standard output, except for the times of slices

	stderr bytes.Buffer
	fail   func(err error, text []byte) error
}

// start starts a process and waits until its row is about to begin.
func (r *runner) start(ctx context.Context, s slot) (*process, error) {
	s.window, s.environment = "1s", []string{"GATE_SLICES=1"}
	p := &process{cmd: r.command(ctx, s), fail: func(err error, text []byte) error { return r.failure(ctx, s, err, text) }}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	p.cmd.Stderr = &p.stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := p.wait(); err != nil {
		return nil, err
	}
	return p, nil
}

// slice runs a slice and returns the processor time that it took.
func (p *process) slice(operations int) (time.Duration, error) {
	if _, err := fmt.Fprintf(p.in, "%d\n", operations); err != nil {
		return 0, p.ended()
	}
	return p.wait()
}

// wait waits for the end of a slice.
func (p *process) wait() (time.Duration, error) {
	for {
		line, err := p.out.ReadString('\n')
		if took, ok := strings.CutPrefix(line, "slice "); ok && err == nil {
			ns, err := strconv.ParseInt(strings.TrimSpace(took), 10, 64)
			return time.Duration(ns), err
		}
		p.text.WriteString(line)
		if err != nil {
			return 0, p.ended()
		}
	}
}

// ended returns why a process ended too early.
func (p *process) ended() error {
	if err := p.cmd.Wait(); err != nil {
		return p.failure(err)
	}
	return malformed("the benchmark does not call b.Loop, or leaves its loop too early:\n%s", p.text.Bytes())
}

// end ends a process and returns its output.
func (p *process) end() ([]byte, error) {
	p.in.Close()
	if _, err := io.Copy(&p.text, p.out); err != nil {
		return nil, err
	}
	if err := p.cmd.Wait(); err != nil {
		return nil, p.failure(err)
	}
	return p.text.Bytes(), nil
}

// failure returns why the process failed.
func (p *process) failure(err error) error {
	return p.fail(err, append(p.text.Bytes(), p.stderr.Bytes()...))
}

// kill ends a process whose results are not needed.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}
