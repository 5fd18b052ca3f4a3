package attach

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
)

// maxNames bounds the bytes of a rundown in memory: that of a million methods has about
// 300 MB.
const maxNames = 1_000_000_000

// Names returns the rundown of a second session, which has the names of the methods. One of
// more than 1 GB is an error.
func (a *Process) Names(ctx context.Context, bufferMB int) (data []byte, err error) {
	list := provider.EarlyRundown()
	whole := list[len(list)-1]
	whole.BufferMB = bufferMB
	err = a.Client.Rundown(ctx, []eventpipe.SessionConfig{whole}, func(stream io.Reader) (err error) {
		data, err = readAll(stream, maxNames)
		return err
	})
	return data, err
}

// readAll reads a rundown of at most limit bytes.
func readAll(stream io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(stream, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("the process sent more than the limit of %s", display.Bytes(limit))
	}
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
