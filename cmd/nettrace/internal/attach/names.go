package attach

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// Names returns the rundown of a second session, which has the names of the methods.
func (a *Process) Names(ctx context.Context, bufferMB int) (data []byte, err error) {
	list := provider.EarlyRundown()
	whole := list[len(list)-1]
	whole.BufferMB = bufferMB
	err = a.Client.Rundown(ctx, []eventpipe.SessionConfig{whole}, func(stream io.Reader) (err error) {
		data, err = io.ReadAll(stream)
		return err
	})
	return data, err
}

// TraceName returns the name of a file for a trace of the process: NAME_yyyyMMdd_HHmmss.
func (a *Process) TraceName(now time.Time) string {
	return a.ProgramName() + "_" + now.Format("20060102_150405")
}

// ProgramName returns the name of the program for the name of a file.
func (a *Process) ProgramName() string {
	name := "trace"
	if a.Info != nil && a.Info.EntryAssembly != "" {
		name = a.Info.EntryAssembly
	} else if a.Info != nil {
		if words := strings.Fields(a.Info.CommandLine); len(words) > 0 {
			name = filepath.Base(words[0])
		}
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
}
