package attach

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// noProvider is a provider that no process has: a session with this provider
// only has no events but the rundown.
const noProvider = "NetTrace-Nobody"

// Names returns the rundown of a second session, which has the names of the methods. It
// reads it to the end at once, because the process answers no other request before.
func (a *Process) Names(ctx context.Context, bufferMB int) ([]byte, error) {
	session, err := a.Client.StartSession(ctx, eventpipe.SessionConfig{
		Providers: []eventpipe.Provider{{Name: noProvider}}, BufferMB: bufferMB,
	})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	finished := make(chan error, 1)
	go func() { finished <- session.Finish(ctx) }()
	data, err := io.ReadAll(session)
	if failed := <-finished; failed != nil {
		err = failed
	}
	return data, err
}

// TraceName returns the name of a file for a trace of the process: NAME_yyyyMMdd_HHmmss.
func (a *Process) TraceName(now time.Time) string {
	return a.programName() + "_" + now.Format("20060102_150405")
}

// programName returns the name of the program for the name of a file.
func (a *Process) programName() string {
	name := "trace"
	if a.Info != nil && a.Info.EntryAssembly != "" {
		name = a.Info.EntryAssembly
	} else if a.Info != nil && a.Info.CommandLine != "" {
		name = filepath.Base(strings.Fields(a.Info.CommandLine)[0])
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}
