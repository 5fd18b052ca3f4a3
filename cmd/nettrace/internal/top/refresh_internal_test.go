//go:build unix

package top

import (
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"

	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// refreshed runs a refresher for a process that sends a trace, and returns its results.
func refreshed(t *testing.T, process *eventpipetest.Runtime, now request) (r *refresher, results chan result) {
	t.Helper()
	p := &run.Program{Stdout: io.Discard, Stderr: io.Discard}
	cmd, o := command(p)
	expect.NoError(t, cmd.ParseFlags([]string{"--port", process.Address() + ",connect", "--refresh-interval", "100ms"}))
	expect.NoError(t, o.live.check(cmd, nil))
	a, err := o.live.Attach(t.Context(), nil, nil, nil)
	expect.NoError(t, err)
	t.Cleanup(a.End)
	results = make(chan result, 1000)
	r = &refresher{p: p, a: a, requests: make(chan request, 1), show: func(one result) { results <- one }, spawn: func(f func()) { go f() }}
	now.o = *o
	r.ask(now)
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-over
	})
	return r, results
}

// until returns the first result for which is returns true.
func until(t *testing.T, results chan result, is func(result) bool) result {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case one := <-results:
			if is(one) {
				return one
			}
		case <-late:
			t.Fatal("no such result within a minute")
		}
	}
}

// TestRefreshNoRequest: before the first request nothing is recorded.
func TestRefreshNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorded := false
		r := &refresher{requests: make(chan request, 1), show: func(result) {}}
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			defer func() { recorded = recover() != nil }() // there is no process
			r.run(ctx)
		}()
		synctest.Wait()
		stop()
		synctest.Wait()
		expect.Equal(t, "a session was begun", recorded, false)
	})
}

func hasData(one result) bool { return one.data != nil }

// TestRefresh: the results of a process up to its end, and those of other types.
func TestRefresh(t *testing.T) {
	process := eventpipetest.Start(t, eventpipetest.Config{
		Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-cpu.v4")}, Info: eventpipe.ProcessInfo{EntryAssembly: "shop"},
	})
	r, results := refreshed(t, process, request{})
	first := until(t, results, hasData)
	expect.Equal(t, "type", first.data.kind.String(), "wall")
	expect.AtLeast(t, "rows", len(first.data.rows), 1)
	other := request{o: first.o}
	other.o.Kind, other.o.live.every = "exceptions", time.Hour
	r.ask(other)
	second := until(t, results, func(one result) bool { return one.data != nil && one.data.kind.String() == "exception" })
	expect.Equal(t, "type of the request", second.o.Kind, "exceptions")
	sessions := process.Sessions()
	expect.Equal(t, "providers of the last session", len(sessions[len(sessions)-1].Config.Providers) >= 1, true)
	process.Kill()
	ended := until(t, results, func(one result) bool { return one.ended != "" })
	expect.Contains(t, "reason", ended.ended, exit.StreamEnded)
}

// TestRefreshSame: another request for the same session gets its result at once, paused too.
func TestRefreshSame(t *testing.T) {
	process := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-cpu.v4")}})
	r, results := refreshed(t, process, request{paused: true})
	first := until(t, results, hasData)
	count := len(process.Sessions())
	cpu := request{o: first.o, paused: true}
	cpu.o.Kind = "cpu"
	r.ask(cpu)
	second := until(t, results, func(one result) bool { return one.data != nil && one.data.kind.String() == "cpu~" })
	expect.Equal(t, "samples of the pause", second.data.Start, first.data.Start)
	expect.AtMost(t, "further sessions", len(process.Sessions())-count, 1) // the names may have been requested
}

// TestRefreshRefused: a runtime that refuses the session is a problem on the page.
func TestRefreshRefused(t *testing.T) {
	process := eventpipetest.Start(t, eventpipetest.Config{})
	process.SetFault(eventpipe.CollectTracing2, eventpipetest.Refuse(eventpipe.Fail, ""))
	_, results := refreshed(t, process, request{})
	expect.Contains(t, "problem", until(t, results, func(one result) bool { return one.problem != "" }).problem, "64 sessions")
	requests := len(process.Requests())
	until(t, results, func(one result) bool { return one.problem != "" })
	expect.AtLeast(t, "requests of another attempt", len(process.Requests()), requests+1)
}
