package view

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/view"
	"github.com/nettrace-go/nettrace/view/server"
)

// statEvery is the time between two looks at the file while a page is open.
const statEvery = 500 * time.Millisecond

// file is the document of a trace. It is read again if the page asks for it.
type file struct {
	p    *run.Program
	name string
	diff string // name of the older trace, "" for none
	// address is that of the page, until the flags are compared with the trace; nil for none.
	address *tracedoc.Address
	how     tracedoc.Reading // of the samples

	mu     sync.Mutex
	state  server.State
	data   []byte
	events *tracedoc.Events
	other  []byte       // document of the older trace
	large  *view.Source // of a trace with too many samples for one document; otherwise nil
	most   int          // samples of a document; 0: view.MaxSamples
	read   fs.FileInfo  // of the file as it was read; nil for standard input
}

// openFile reads a trace. Its errors have an exit code.
func openFile(ctx context.Context, p *run.Program, name, diff string, address *tracedoc.Address) (*file, error) {
	f := &file{p: p, name: name, diff: diff, address: address, how: address.Reading()}
	return f, f.load(ctx)
}

// load reads the trace.
func (f *file) load(ctx context.Context) error {
	info, err := os.Stat(f.name)
	if err != nil {
		info = nil // it is standard input, or reading it returns the error
	}
	source, events, err := tracedoc.Read(ctx, f.p, f.name, f.how)
	if err != nil {
		return err
	}
	if f.address != nil {
		if err := f.address.Complain(ctx, f.p, f.name, source, events); err != nil {
			return err
		}
	}
	source.Most = f.most
	if f.diff != "" {
		source.Diff = filepath.Base(f.diff)
	}
	if f.diff != "" && f.other == nil {
		var types []profile.Type
		if f.other, types, err = tracedoc.Other(ctx, f.p, f.diff, f.how); err != nil {
			return err
		}
		if f.address != nil {
			f.address.ComplainDiff(f.p, f.name, f.diff, source.Profile.Types(), types)
		}
	}
	f.address = nil
	data, err := source.Encode()
	if err != nil {
		return exit.With(exit.Broken, err)
	}
	f.data, f.events, f.read, f.large = data, events, info, nil
	if !source.Fits() {
		f.large = source
	}
	f.state = server.State{Version: f.state.Version + 1}
	return nil
}

// Data returns the document. With the query reload it reads the trace again if that has
// changed. The query from and to, in ns, is the range to return of a large trace.
func (f *file) Data(ctx context.Context, query url.Values) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if query.Has("reload") && f.changed() {
		if err := f.load(ctx); err != nil {
			return nil, err
		}
	}
	if f.large == nil || !query.Has("from") {
		return f.data, nil
	}
	from, err := strconv.ParseInt(query.Get("from"), 10, 64)
	to, toErr := strconv.ParseInt(query.Get("to"), 10, 64)
	if err := errors.Join(err, toErr); err != nil {
		return nil, err
	}
	part := *f.large
	part.Range = [2]int64{from, to}
	return part.Encode()
}

// Wait waits until the file changes.
func (f *file) Wait(ctx context.Context, last server.State) (server.State, error) {
	return poll(ctx, statEvery, func() (server.State, bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.state.Changed = f.changed()
		return f.state, f.state != last
	})
}

// changed reports whether the file is another one than was read.
func (f *file) changed() bool {
	if f.read == nil {
		return false
	}
	now, err := os.Stat(f.name)
	return err != nil || !os.SameFile(now, f.read) || now.Size() != f.read.Size() || !now.ModTime().Equal(f.read.ModTime())
}

// poll calls next until it has a result or the context ends.
func poll(ctx context.Context, every time.Duration, next func() (server.State, bool)) (server.State, error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if state, ok := next(); ok {
			return state, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return server.State{}, context.Cause(ctx)
		}
	}
}
