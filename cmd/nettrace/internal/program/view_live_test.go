//go:build unix

package program_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/view/server"
)

// TestLive: the document of a process that streams a recorded trace. It stops while it is
// paused, is saved, and stays when the process ends.
func TestLive(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gc.v4")
	t.Chdir(t.TempDir())
	r := eventpipetest.Start(t, eventpipetest.Config{
		Trace: eventpipetest.Trace{Data: data}, Info: eventpipe.ProcessInfo{EntryAssembly: "shop"},
	})
	s := serve(t, "--port", r.Address()+",connect")
	answer := s.ask(t, "GET", "/api/data", s.token)
	expect.Equal(t, "status of the document", answer.StatusCode, http.StatusOK)
	expect.Equal(t, "a session has the names of what is compiled meanwhile", reflect.DeepEqual(r.Sessions()[0].Config.Providers, provider.Names()[0].Providers), true)
	document, err := io.ReadAll(answer.Body)
	expect.NoError(t, err)
	expect.AtLeast(t, "bytes of the document", len(document), 1000)
	states := bufio.NewScanner(s.ask(t, "GET", "/api/live", s.token).Body)
	state := next(t, states)
	expect.Equal(t, "live", state.Live, true)
	expect.Equal(t, "status of pause", s.ask(t, "POST", "/api/live/pause", s.token).StatusCode, http.StatusNoContent)
	until(t, states, func(s server.State) bool { return s.Paused })
	var saved struct{ File string }
	if err := json.NewDecoder(s.ask(t, "POST", "/api/live/save", s.token).Body).Decode(&saved); err != nil {
		t.Fatal(err)
	}
	expect.Contains(t, "name of the trace", saved.File, "shop_", ".nettrace")
	expect.Contains(t, "check of the trace", programtest.Run(t, nil, "check", saved.File).Out, "no finding")
	expect.Contains(t, "standard error", s.stderr.String(), saved.File)
	s.ask(t, "POST", "/api/live/pause?paused=false", s.token)
	r.Kill()
	state = until(t, states, func(s server.State) bool { return s.Ended != "" })
	expect.Equal(t, "live", state.Live, false)
	expect.Equal(t, "status of the document", s.ask(t, "GET", "/api/data", s.token).StatusCode, http.StatusOK)
}

// until returns the first state for which is returns true.
func until(t *testing.T, stream *bufio.Scanner, is func(server.State) bool) server.State {
	t.Helper()
	for {
		if state := next(t, stream); is(state) {
			return state
		}
	}
}

// TestNoEvents: a process that ends before its first event has no document.
func TestNoEvents(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-gc.v4"), TruncateAfter: 4}})
	s := serve(t, "--port", r.Address()+",connect")
	answer := s.ask(t, "GET", "/api/data", s.token)
	expect.Equal(t, "status", answer.StatusCode, http.StatusInternalServerError)
	text, err := io.ReadAll(answer.Body)
	expect.NoError(t, err)
	if !strings.Contains(string(text), "no events came") {
		t.Errorf("answer %q, want that no events came", text)
	}
}

// TestEndWhilePaused: the end of the process ends the pause, so that the page shows the rest.
func TestEndWhilePaused(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-gc.v4")}})
	s := serve(t, "--port", r.Address()+",connect")
	expect.Equal(t, "status of the document", s.ask(t, "GET", "/api/data", s.token).StatusCode, http.StatusOK)
	s.ask(t, "POST", "/api/live/pause", s.token)
	r.Kill()
	states := bufio.NewScanner(s.ask(t, "GET", "/api/live", s.token).Body)
	state := until(t, states, func(s server.State) bool { return s.Ended != "" })
	expect.Equal(t, "paused", state.Paused, false)
	s.ask(t, "POST", "/api/live/pause", s.token)
	expect.Equal(t, "status of the document", s.ask(t, "GET", "/api/data", s.token).StatusCode, http.StatusOK)
}

// TestViewInterrupted: SIGINT ends the page of a file and that of a process, also for a script,
// which lets programs in the background ignore it.
func TestViewInterrupted(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gc.v4")
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
	for _, of := range [][]string{{testfile.New(t, "a.nettrace", data)}, {"--port", r.Address() + ",connect"}} {
		cmd := programtest.ScriptProcess(t, append([]string{"view", "--no-browser"}, of...)...)
		out, err := cmd.StdoutPipe()
		expect.NoError(t, err)
		expect.NoError(t, cmd.Start())
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		expect.NoError(t, cmd.Process.Signal(os.Interrupt))
		expect.NoError(t, cmd.Wait())
	}
}
