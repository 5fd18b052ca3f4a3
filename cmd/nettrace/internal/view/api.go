package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/view/server"
)

// maxEvents is the largest number of events of one answer.
const maxEvents = 10_000

// maxStacks is the largest number of events whose stacks one request can choose.
const maxStacks = 1000

// documentKind is the media type of a document of package view.
const documentKind = "application/octet-stream"

// answers are the answers about the events and the heap dump of a trace, by name.
var answers = map[string]func(context.Context, *tracedoc.Events, url.Values) (server.Answer, error){
	"events": eventList, "profile": eventProfile, "stack": eventStacks, "export": export, "heap": heapRows,
}

// Answer answers a request for what the document does not have.
func (f *file) Answer(ctx context.Context, name string, query url.Values) (server.Answer, error) {
	f.mu.Lock()
	events, other, changed := f.events, f.other, f.changed()
	f.mu.Unlock()
	if name == "other" && other != nil {
		return server.Answer{Kind: documentKind, Data: other}, nil
	}
	answer, ok := answers[name]
	switch {
	case !ok:
		return server.Answer{}, server.ErrNoAnswer
	case changed:
		return server.Answer{}, server.ErrChanged
	}
	return answer(ctx, events, query)
}

// eventList returns a part of the events that the flags of a query choose.
func eventList(ctx context.Context, events *tracedoc.Events, query url.Values) (server.Answer, error) {
	after, limit, err := part(query)
	if err != nil {
		return server.Answer{}, err
	}
	flags, err := tracedoc.Flags(query)
	if err != nil {
		return server.Answer{}, err
	}
	list, err := events.List(ctx, flags, after, limit)
	if err != nil {
		return server.Answer{}, err
	}
	data, err := json.Marshal(list)
	return server.Answer{Kind: "application/json", Data: data}, err
}

// eventProfile returns a document of the events that the flags of a query choose.
func eventProfile(ctx context.Context, events *tracedoc.Events, query url.Values) (server.Answer, error) {
	helpers := taken(query, "runtime-helpers")
	flags, err := tracedoc.Flags(query)
	if err != nil {
		return server.Answer{}, err
	}
	data, err := events.Profile(ctx, flags, helpers != nil)
	return server.Answer{Kind: documentKind, Data: data}, err
}

// eventStacks returns a document of the events whose offsets a query has.
func eventStacks(ctx context.Context, events *tracedoc.Events, query url.Values) (server.Answer, error) {
	helpers := taken(query, "runtime-helpers")
	var offsets []int64
	for _, text := range taken(query, "event") {
		offset, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return server.Answer{}, fmt.Errorf("event: %q is no offset", text)
		}
		offsets = append(offsets, offset)
	}
	switch {
	case len(query) > 0:
		return server.Answer{}, errors.New("stack takes the parameters event and runtime-helpers only")
	case len(offsets) == 0 || len(offsets) > maxStacks:
		return server.Answer{}, fmt.Errorf("stack takes 1 to %d events, not %d", maxStacks, len(offsets))
	}
	data, err := events.Stacks(ctx, offsets, helpers != nil)
	return server.Answer{Kind: documentKind, Data: data}, err
}

// heapRows returns what the flags of a query choose of the heap dump.
func heapRows(ctx context.Context, events *tracedoc.Events, query url.Values) (server.Answer, error) {
	data, err := events.Heap(ctx, query)
	return server.Answer{Kind: "application/json", Data: data}, err
}

// taken returns the values of a parameter and removes it.
func taken(query url.Values, name string) []string {
	values := query[name]
	delete(query, name)
	return values
}

// part returns the parameters after and limit, and removes them.
func part(query url.Values) (after, limit int64, err error) {
	limit = maxEvents
	for name, to := range map[string]*int64{"after": &after, "limit": &limit} {
		if values := taken(query, name); values != nil {
			if *to, err = strconv.ParseInt(values[0], 10, 64); err != nil || *to < 0 {
				return 0, 0, fmt.Errorf("%s: %q is no number of events", name, values[0])
			}
		}
	}
	if limit > maxEvents {
		return 0, 0, fmt.Errorf("limit: at most %d", maxEvents)
	}
	return after, limit, nil
}

// export returns the samples that the flags of a query choose, in the format of the parameter
// format, as convert writes them.
func export(ctx context.Context, trace *tracedoc.Events, query url.Values) (server.Answer, error) {
	name := strings.Join(taken(query, "format"), "")
	format := formats.Find(name)
	if format == nil || format.Write == nil {
		return server.Answer{}, fmt.Errorf("--format: %q is no format of profiles", name)
	}
	c := formats.Conversion{Format: format, From: trace.Name(), To: output.Target{Name: output.Stdout}}
	cmd := &cobra.Command{Use: "convert"}
	c.Selection.AddFlags(cmd)
	if err := tracedoc.SetFlags(cmd, query); err != nil {
		return server.Answer{}, err
	}
	c.Selection.AsyncFlags, *c.Selection.RequestFlags() = trace.Reading().AsyncFlags, trace.Reading().Requests
	in, err := trace.Open()
	if err != nil {
		return server.Answer{}, err
	}
	defer in.Close()
	var b bytes.Buffer
	_, err = c.WriteProfile(ctx, in, &b)
	return server.Answer{Kind: documentKind, Data: b.Bytes()}, err
}
