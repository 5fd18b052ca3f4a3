//go:build unix

package top

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// reported prints the one report of a process, and calls then when its session has sent the
// trace.
func reported(t *testing.T, trace eventpipetest.Trace, limit time.Duration, size int64, then func(*eventpipetest.Runtime, context.CancelFunc)) (out, problems string, err error) {
	t.Helper()
	process := eventpipetest.Start(t, eventpipetest.Config{Trace: trace})
	var stdout, stderr bytes.Buffer
	p := &run.Program{Stdout: &stdout, Stderr: &stderr}
	cmd, o := command(p)
	expect.NoError(t, cmd.ParseFlags([]string{"--port", process.Address() + ",connect"}))
	expect.NoError(t, o.live.check(cmd, nil))
	expect.NoError(t, o.check())
	a, err := o.live.Attach(t.Context(), nil, nil, nil)
	expect.NoError(t, err)
	defer a.End()
	o.live.limit, o.live.kept = limit, record.RingOptions{Size: size}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil && (len(process.Sessions()) == 0 || len(process.Sessions()[0].Sent()) < len(trace.Data)-1) {
			time.Sleep(time.Millisecond)
		}
		then(process, stop)
	}()
	err = o.reportProcess(ctx, p, a)
	stop()
	<-over
	return stdout.String(), stderr.String(), err
}

// TestReportInterrupted: a signal ends the recording, and the report has its events.
func TestReportInterrupted(t *testing.T) {
	trace := eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-cpu.v4")}
	out, problems, err := reported(t, trace, time.Minute, reportSize, func(_ *eventpipetest.Runtime, stop context.CancelFunc) { stop() })
	expect.NoError(t, err)
	expect.Contains(t, "report", out, "method", "wall")
	expect.Equal(t, "problems", problems, "")
}

// TestReportIncomplete: standard error has why the report has not all events.
func TestReportIncomplete(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-cpu.v4")
	nothing := func(*eventpipetest.Runtime, context.CancelFunc) {}
	_, problems, err := reported(t, eventpipetest.Trace{Data: data}, time.Minute, reportSize, func(process *eventpipetest.Runtime, _ context.CancelFunc) { process.Exit() })
	expect.NoError(t, err)
	expect.Contains(t, "problems of an end", problems, "warning: the recording ended early: the process has ended\n")
	_, problems, err = reported(t, eventpipetest.Trace{Data: data, TruncateAfter: len(data) * 9 / 10}, time.Minute, reportSize, nothing)
	expect.NoError(t, err)
	expect.Contains(t, "problems of a truncated stream", problems, "warning: the recording ended early: ")
	_, problems, err = reported(t, eventpipetest.Trace{Data: data}, time.Second/2, 40_000, nothing)
	expect.NoError(t, err)
	expect.Contains(t, "problems of a small ring", problems, "warning: the oldest ", " events left out: the report has the last ")
	_, _, err = reported(t, eventpipetest.Trace{}, time.Millisecond, reportSize, nothing)
	expect.Equal(t, "error", err != nil && strings.HasSuffix(err.Error(), "no events came: the time of 1ms is over"), true)
}
