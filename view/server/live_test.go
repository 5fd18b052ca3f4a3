package server_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/view/server"
)

// recording is a document whose states the test chooses.
type recording struct {
	server.Fixed
	states []server.State
	paused []bool
	saved  error
}

func (r *recording) Wait(context.Context, server.State) (server.State, error) {
	if len(r.states) == 0 {
		return server.State{}, errors.New("no more")
	}
	next := r.states[0]
	r.states = r.states[1:]
	return next, nil
}

func (r *recording) Pause(paused bool) { r.paused = append(r.paused, paused) }

func (r *recording) Save(context.Context) (string, error) { return "a.nettrace", r.saved }

// ask sends a request with the token to a server of a document.
func ask(t *testing.T, d server.Document, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	s, err := server.New(host, server.Single(d))
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(s.Address("summary", ""))
	if err != nil {
		t.Fatal(err)
	}
	query, err := url.ParseQuery(address.Fragment[len("/summary?"):])
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(method, "http://"+host+path, nil)
	r.Header.Set("Authorization", "Bearer "+query.Get("token"))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// TestStates: the states of a document are events of a stream, at most two a second.
func TestStates(t *testing.T) { synctest.Test(t, testStates) }

func testStates(t *testing.T) {
	d := &recording{states: []server.State{{Version: 1, Live: true}, {Version: 2, Ended: "over"}}}
	begun := time.Now()
	w := ask(t, d, "GET", "/api/live")
	expect.Equal(t, "time for two states", time.Since(begun), time.Second)
	expect.Equal(t, "type", w.Header().Get("Content-Type"), "text/event-stream")
	expect.Equal(t, "body", w.Body.String(), "data: {\"version\":1,\"live\":true,\"paused\":false,\"ended\":\"\",\"changed\":false,\"note\":\"\"}\n\n"+
		"data: {\"version\":2,\"live\":false,\"paused\":false,\"ended\":\"over\",\"changed\":false,\"note\":\"\"}\n\n")
}

// TestPause: a page pauses and continues.
func TestPause(t *testing.T) {
	d := &recording{}
	expect.Equal(t, "status", ask(t, d, "POST", "/api/live/pause").Code, http.StatusNoContent)
	expect.Equal(t, "status", ask(t, d, "POST", "/api/live/pause?paused=false").Code, http.StatusNoContent)
	expect.Slices(t, "paused", d.paused, []bool{true, false})
}

// TestSave: the answer has the name of the file, or the error.
func TestSave(t *testing.T) {
	d := &recording{}
	expect.Equal(t, "answer", ask(t, d, "POST", "/api/live/save").Body.String(), "{\"file\":\"a.nettrace\"}\n")
	d.saved = errors.New("the disk is full")
	w := ask(t, d, "POST", "/api/live/save")
	expect.Equal(t, "status", w.Code, http.StatusInternalServerError)
	expect.Equal(t, "answer", w.Body.String(), "the disk is full\n")
}

// TestFixed: a document that does not change has one state.
func TestFixed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	state, err := server.Fixed("document").Wait(ctx, server.State{})
	expect.NoError(t, err)
	expect.Equal(t, "version", state.Version, 1)
	cancel()
	_, err = server.Fixed("document").Wait(ctx, state)
	expect.ErrorIs(t, err, context.Canceled)
}

// TestUnknown: a document that is not found.
func TestUnknown(t *testing.T) {
	s, err := server.New(host, func(context.Context, string) (server.Document, error) {
		return nil, errors.New("there is no such trace")
	})
	expect.NoError(t, err)
	address, err := url.Parse(s.Address("summary", ""))
	expect.NoError(t, err)
	r := httptest.NewRequest("GET", "http://"+host+"/api/data?open=x", nil)
	r.Header.Set("Authorization", "Bearer "+address.Fragment[len("/summary?token="):])
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	expect.Equal(t, "status", w.Code, http.StatusNotFound)
}
