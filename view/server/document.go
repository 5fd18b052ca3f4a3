package server

import (
	"context"
	"errors"
	"net/url"
)

// Document is what a page shows. Several goroutines may call its methods.
type Document interface {
	// Data returns the current document of package view, or a list in JSON for
	// the page that chooses one. query is that of the request.
	Data(ctx context.Context, query url.Values) ([]byte, error)
	// Wait returns the state as soon as it differs from the last one, whose zero
	// value differs from every state.
	Wait(ctx context.Context, last State) (State, error)
}

// Recording is the document of a running process.
type Recording interface {
	Document
	// Pause keeps the document unchanged, or lets it follow the process again.
	Pause(paused bool)
	// Save writes the document's events as a trace and returns the name of the
	// file.
	Save(ctx context.Context) (file string, err error)
}

// Answerer is a Document that has more than its data, such as events.
type Answerer interface {
	Document
	// Answer returns the answer to GET /api/NAME. query is that of the request,
	// without the name of the document. The errors are ErrNoAnswer, ErrChanged,
	// or a mistake in the query.
	Answer(ctx context.Context, name string, query url.Values) (Answer, error)
}

// Answer is the answer to a request.
type Answer struct {
	Kind string // media type
	Data []byte // body
}

// Errors of an Answerer.
var (
	ErrNoAnswer = errors.New("the document has no such data")                   // status 404
	ErrChanged  = errors.New("the trace has changed on disk since it was read") // status 409
)

// State is what a page learns about its document while it is open.
type State struct {
	Version int64  `json:"version"` // of the data: another one is to be loaded
	Live    bool   `json:"live"`    // the process runs and is recorded
	Paused  bool   `json:"paused"`  // the document stays unchanged
	Ended   string `json:"ended"`   // why the recording has ended, "" if it runs
	Changed bool   `json:"changed"` // the file has changed since it was read
	Note    string `json:"note"`    // what is missing, "" for nothing
}

// Fixed is a Document that does not change.
type Fixed []byte

// Data returns the document.
func (f Fixed) Data(context.Context, url.Values) ([]byte, error) { return f, nil }

// Wait returns a state once.
func (f Fixed) Wait(ctx context.Context, last State) (State, error) {
	if last.Version == 0 {
		return State{Version: 1}, nil
	}
	<-ctx.Done()
	return last, context.Cause(ctx)
}

// Finder returns the document with a name; "" is that of the server's address.
type Finder func(ctx context.Context, name string) (Document, error)

// Single returns the Finder of one document.
func Single(d Document) Finder {
	return func(context.Context, string) (Document, error) { return d, nil }
}
