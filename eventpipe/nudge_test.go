//go:build unix

package eventpipe_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNudge: the second session has the provider of the first one, and ends before it.
func TestNudge(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Release: 11})
	client := eventpipe.NewClient(r.Address())
	first, err := client.StartSession(t.Context(), eventpipe.SessionConfig{BufferMB: 16, Providers: []eventpipe.Provider{{Name: "A", Keywords: 3, Level: 4}, {Name: "B"}}})
	expect.NoError(t, err)
	defer first.Close()
	expect.NoError(t, client.Nudge(t.Context(), eventpipe.Provider{Name: "A", Keywords: 3, Level: 4}, time.Millisecond, time.Millisecond))
	var commands []eventpipe.Command
	for _, request := range r.Requests() {
		commands = append(commands, request.Command)
	}
	expect.Slices(t, "requests", commands, []eventpipe.Command{eventpipe.CollectTracing2, eventpipe.CollectTracing2, eventpipe.StopTracing})
	second := r.Sessions()[1]
	expect.Equal(t, "the session that was stopped", binary.LittleEndian.Uint64(r.Requests()[2].Payload), second.ID)
	expect.Equal(t, "providers of the second session", len(second.Config.Providers), 1)
	expect.Equal(t, "its provider", second.Config.Providers[0].Name, "A")
	expect.Equal(t, "no rundown", second.Config.NoRundown, true)
}

// TestNudgeRefused: the error of a runtime that has no session left.
func TestNudgeRefused(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Release: 11, MaxSessions: 1})
	client := eventpipe.NewClient(r.Address())
	first, err := client.StartSession(t.Context(), eventpipe.SessionConfig{BufferMB: 16, Providers: []eventpipe.Provider{{Name: "A"}}})
	expect.NoError(t, err)
	defer first.Close()
	err = client.Nudge(t.Context(), eventpipe.Provider{Name: "A"}, time.Millisecond, time.Millisecond)
	expect.Equal(t, "refused", err != nil, true)
}
