package tracedoc

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heapdump"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/heap"
)

// maxHeapRows is the largest number of rows of a table of a heap dump.
const maxHeapRows = 20_000

// heapDump has a heap dump of a trace after the first request for it.
type heapDump struct {
	open   func() (*input.File, error) // of a file that is not the trace of the events; nil for that trace
	turn   chan struct{}               // has an element while a request is answered
	chosen heapdump.Selection
	dump   *heapdump.Dump // the chosen one; nil until it is read
}

func newHeapDump() *heapDump { return &heapDump{turn: make(chan struct{}, 1)} }

// refusal is the answer of a trace without the dump, or with an incomplete one.
type refusal struct {
	File       string `json:"file"`
	Error      string `json:"error"`
	Incomplete bool   `json:"incomplete"` // --partial shows the dump
}

// Heap returns the object that "nettrace heap --json" prints for the flags of a query, with
// at most 20,000 rows. If there is no such dump, or data of it was lost, the object has the
// error. The first request reads the dump, which is kept until a request chooses another
// one. Requests are answered one after the other.
func (e *Events) Heap(ctx context.Context, query url.Values) ([]byte, error) {
	var q heapdump.Query
	cmd := &cobra.Command{Use: "heap"}
	q.AddFlags(cmd.Flags())
	if err := errors.Join(SetFlags(cmd, query), q.Complete(cmd.Flags())); err != nil {
		return nil, err
	}
	if q.Limit == 0 || q.Limit > maxHeapRows {
		q.Limit = maxHeapRows
	}
	select {
	case e.heap.turn <- struct{}{}:
		defer func() { <-e.heap.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	d, err := e.loadHeap(ctx, q.Selection)
	if errors.Is(err, heap.ErrNoDump) || errors.Is(err, heap.ErrIncomplete) {
		return json.Marshal(refusal{e.name, err.Error(), errors.Is(err, heap.ErrIncomplete)})
	}
	if err != nil {
		return nil, err
	}
	t, err := q.Tables(ctx, d)
	if err != nil {
		return nil, err
	}
	return t.JSON(), nil
}

// loadHeap returns the chosen dump. One dump is in memory at a time.
func (e *Events) loadHeap(ctx context.Context, chosen heapdump.Selection) (*heapdump.Dump, error) {
	h := e.heap
	if h.dump != nil && h.chosen == chosen {
		return h.dump, nil
	}
	h.dump = nil
	open := e.open
	if h.open != nil {
		open = h.open
	}
	in, err := open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if h.dump, err = chosen.Load(ctx, e.name, in); err != nil {
		h.dump = nil
		return nil, err
	}
	h.chosen = chosen
	return h.dump, nil
}

const (
	// pathWork bounds the objects that the paths of a page visit, for all types together.
	pathWork = 50_000_000
	// minPathTypes and maxPathTypes bound the types with paths: those that retain most.
	minPathTypes, maxPathTypes = 10, 200
)

// keptHeap is the part of a page about the heap dump: answers of Events.Heap.
type keptHeap struct {
	Types      json.RawMessage            `json:"types"`
	Dominators json.RawMessage            `json:"dominators,omitempty"` // with --min 0.1
	Roots      json.RawMessage            `json:"roots,omitempty"`
	Paths      map[string]json.RawMessage `json:"paths,omitempty"` // by type
}

// AllHeap returns what a page without a server has of the heap dump, compressed.
func (e *Events) AllHeap(ctx context.Context) ([]byte, error) {
	var kept keptHeap
	var err error
	answer := func(flags ...string) json.RawMessage {
		if err != nil {
			return nil
		}
		query := url.Values{}
		for i := 0; i < len(flags); i += 2 {
			query.Set(flags[i], flags[i+1])
		}
		var text []byte
		text, err = e.Heap(ctx, query)
		return text
	}
	kept.Types = answer("limit", "0")
	var types struct {
		Error string
		Dump  struct{ Objects int64 }
		Types []struct{ Type string }
	}
	if err == nil {
		err = json.Unmarshal(kept.Types, &types)
	}
	if err == nil && types.Error == "" {
		kept.Dominators = answer("dominators", "", "min", "0.1")
		kept.Roots = answer("roots", "", "limit", "0")
		kept.Paths = map[string]json.RawMessage{}
		most := min(max(pathWork/max(types.Dump.Objects, 1), minPathTypes), maxPathTypes, int64(len(types.Types)))
		for _, t := range types.Types[:most] {
			kept.Paths[t.Type] = answer("paths", t.Type)
		}
	}
	if err != nil {
		return nil, err
	}
	return compress(kept)
}
