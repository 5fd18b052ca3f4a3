package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/view/server"
)

// home has the running processes and the traces of the current folder. It opens those that
// the page asks for, and closes them at the end.
type home struct {
	p   *run.Program
	ctx context.Context // of the recordings
	of  liveFlags       // what is recorded of each process

	running    sync.WaitGroup // recordings
	mu         sync.Mutex
	documents  map[string]*opening // by name
	recordings []processRecording  // that pages began, also those that have ended
}

// processRecording is a recording in the list of the page.
type processRecording struct {
	Name  string `json:"name"` // of the document
	PID   int    `json:"pid"`
	Title string `json:"title"`
	Ended string `json:"ended,omitempty"` // why, "" if it runs
	of    *liveDocument
}

// Prefixes of the names of documents.
const (
	filePrefix    = "file:"
	processPrefix = "process-id:"
)

// find is the server.Finder.
func (h *home) find(ctx context.Context, name string) (server.Document, error) {
	if name == "" {
		return h, nil
	}
	h.mu.Lock()
	o, known := h.documents[name]
	if !known {
		o = &opening{done: make(chan struct{})}
		h.documents[name] = o
	}
	h.mu.Unlock()
	if known {
		select {
		case <-o.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return o.document, o.err
	}
	defer close(o.done)
	o.document, o.err = h.open(ctx, name)
	if o.err != nil { // the next page tries again
		h.mu.Lock()
		delete(h.documents, name)
		h.mu.Unlock()
	}
	return o.document, o.err
}

// opening is a document that is being opened, or that is open. A process that does not
// answer does not hold up the pages of others.
type opening struct {
	done     chan struct{} // closed when the others are set
	document server.Document
	err      error
}

// answerTime is the max time for an answer of a process that a page asked for.
const answerTime = 30 * time.Second

// open opens a trace of the current folder, or begins to record a process.
func (h *home) open(ctx context.Context, name string) (server.Document, error) {
	if trace, ok := strings.CutPrefix(name, filePrefix); ok {
		list, err := traces()
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, func(t folderTrace) bool { return t.Name == trace }) {
			return nil, fmt.Errorf("%q is no trace of the current folder", trace)
		}
		return openFile(ctx, h.p, trace, "", nil)
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(name, processPrefix), "#") // the number of a further recording follows
	pid, err := strconv.Atoi(id)
	if err != nil || !strings.HasPrefix(name, processPrefix) {
		return nil, fmt.Errorf("%q is neither a trace nor a process", name)
	}
	a, err := (&attach.Options{PID: pid, Timeout: answerTime}).Attach(h.ctx, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	d, err := h.of.start(h.ctx, h.p, a)
	if err != nil {
		a.End()
		return nil, err
	}
	h.running.Go(func() {
		defer a.End()
		d.runWhileUsed(h.ctx)
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.recordings = append(h.recordings, processRecording{Name: name, PID: pid, Title: a.Title, of: d})
	return d, nil
}

// listed returns the recordings with their states.
func (h *home) listed() []processRecording {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := append([]processRecording{}, h.recordings...)
	for i := range list {
		list[i].Ended = list[i].of.ended()
	}
	return list
}

// folderTrace is a trace of the current folder.
type folderTrace struct {
	Name     string    `json:"name"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
}

// extensions are those of traces.
var extensions = []string{".nettrace", ".nettrace.gz", ".nettrace.zst", ".netperf"}

// traces lists the traces of the current folder, the newest first.
func traces() ([]folderTrace, error) {
	entries, err := os.ReadDir(".")
	if err != nil {
		return nil, err
	}
	list := []folderTrace{}
	for _, e := range entries {
		isTrace := slices.ContainsFunc(extensions, func(x string) bool { return strings.HasSuffix(strings.ToLower(e.Name()), x) })
		info, err := os.Stat(e.Name())
		if isTrace && err == nil && info.Mode().IsRegular() {
			list = append(list, folderTrace{e.Name(), info.Size(), info.ModTime()})
		}
	}
	slices.SortStableFunc(list, func(a, b folderTrace) int { return b.Modified.Compare(a.Modified) })
	return list, nil
}

// listing is the document of the page that chooses a trace or a process.
type listing struct {
	Folder     string             `json:"folder"`
	Processes  []json.RawMessage  `json:"processes"` // as "nettrace ps --json" prints them
	Recordings []processRecording `json:"recordings"`
	Traces     []folderTrace      `json:"traces"`
	Problem    string             `json:"problem,omitempty"` // why a list is missing
}

// Data lists the processes and the traces.
func (h *home) Data(ctx context.Context, _ url.Values) ([]byte, error) {
	found, err := attach.Candidates(ctx, attach.Patience)
	l := listing{Processes: []json.RawMessage{}, Recordings: h.listed()}
	for i := range found {
		l.Processes = append(l.Processes, found[i].AppendJSON(nil))
	}
	var folderErr error
	l.Traces, folderErr = traces()
	if err := errors.Join(err, folderErr); err != nil {
		l.Problem = err.Error()
	}
	l.Folder, _ = os.Getwd() // it is a title
	return json.Marshal(&l)
}

// Wait returns a state once: the page asks again for another list.
func (h *home) Wait(ctx context.Context, last server.State) (server.State, error) {
	return server.Fixed(nil).Wait(ctx, last)
}
