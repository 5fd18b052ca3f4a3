package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// updateEvery is the shortest time between two states that are sent to a page.
const updateEvery = 500 * time.Millisecond

// serveStates sends the states of a document as text/event-stream until the page
// closes the connection.
func (s *Server) serveStates(w http.ResponseWriter, r *http.Request) {
	d, ok := s.document(w, r)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	var last State
	for {
		next, err := d.Wait(r.Context(), last)
		if err != nil {
			return // the page has closed the connection, or the server ends
		}
		text, err := json.Marshal(next)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || flush.Flush() != nil {
			return
		}
		last = next
		select {
		case <-time.After(updateEvery):
		case <-r.Context().Done():
			return
		}
	}
}

// errNotLive: the document is that of a file.
var errNotLive = errors.New("the document is not that of a running process")

// recording returns the document of a request if it is that of a running
// process. Otherwise it answers with an error.
func (s *Server) recording(w http.ResponseWriter, r *http.Request) (Recording, bool) {
	d, ok := s.document(w, r)
	if !ok {
		return nil, false
	}
	rec, ok := d.(Recording)
	if !ok {
		http.Error(w, errNotLive.Error(), http.StatusConflict)
	}
	return rec, ok
}

// pause pauses a document, or with the query paused=false continues.
func (s *Server) pause(w http.ResponseWriter, r *http.Request) {
	if rec, ok := s.recording(w, r); ok {
		rec.Pause(r.URL.Query().Get("paused") != "false")
		w.WriteHeader(http.StatusNoContent)
	}
}

// save writes a trace and answers with its name.
func (s *Server) save(w http.ResponseWriter, r *http.Request) {
	rec, ok := s.recording(w, r)
	if !ok {
		return
	}
	name, err := rec.Save(r.Context())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"file": name}) // the browser may have closed the connection
}
