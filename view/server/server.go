// Package server serves the viewer's page and its document to the browser of one
// user. Every answer but the page needs a token, which the user's browser gets in
// the fragment of the address: a fragment is never sent.
package server

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/view/page"
)

// Server is the handler for the documents that a page shows.
type Server struct {
	host    string // the only accepted value of the header Host
	token   string
	find    Finder
	page    []byte
	mux     *http.ServeMux
	handler http.Handler
}

// New returns a server for documents. host is the address with the port that the
// user's browser connects to.
func New(host string, find Finder) (*Server, error) {
	var html bytes.Buffer
	if err := page.WriteServed(&html); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	var token [16]byte
	if _, err := rand.Read(token[:]); err != nil {
		return nil, fmt.Errorf("server: token: %w", err)
	}
	s := &Server{host: host, token: hex.EncodeToString(token[:]), find: find, page: html.Bytes(), mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /{$}", s.servePage)
	s.Handle("GET /api/data", s.serveDocument)
	s.Handle("GET /api/{name}", s.serveAnswer)
	s.Handle("GET /api/live", s.serveStates)
	s.Handle("POST /api/live/pause", s.pause)
	s.Handle("POST /api/live/save", s.save)
	s.handler = s.checkHost(http.NewCrossOriginProtection().Handler(s.mux))
	return s, nil
}

// Handle adds an answer to requests with the token. pattern is that of an
// http.ServeMux.
func (s *Server) Handle(pattern string, answer http.HandlerFunc) {
	s.mux.Handle(pattern, s.authorized(answer))
}

// Address returns the address of a page, with the token. query has flags of the
// filter, such as "from=3s&to=4s".
func (s *Server) Address(name, query string) string {
	if query != "" {
		query = "&" + query
	}
	return "http://" + s.host + "/" + page.Fragment(name, "token="+s.token+query)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", page.Policy())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	s.handler.ServeHTTP(w, r)
}

// checkHost refuses requests for another host: a foreign name can resolve to this
// machine.
func (s *Server) checkHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != s.host {
			http.Error(w, "this server answers as "+s.host+" only", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// authorized refuses requests without the token.
func (s *Server) authorized(next http.HandlerFunc) http.Handler {
	want := sha256.Sum256([]byte(s.token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		got := sha256.Sum256([]byte(token))
		switch {
		case !ok || token == "":
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a token is required", http.StatusUnauthorized)
		case subtle.ConstantTimeCompare(got[:], want[:]) != 1:
			http.Error(w, "the token is wrong", http.StatusForbidden)
		default:
			next(w, r)
		}
	})
}

func (s *Server) servePage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(s.page) // the browser may have closed the connection
}

// document returns the document of a request. Otherwise it answers with an error.
func (s *Server) document(w http.ResponseWriter, r *http.Request) (Document, bool) {
	d, err := s.find(r.Context(), r.URL.Query().Get("open"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
	}
	return d, err == nil
}

// serveAnswer answers with what the document does not have.
func (s *Server) serveAnswer(w http.ResponseWriter, r *http.Request) {
	d, ok := s.document(w, r)
	if !ok {
		return
	}
	more, ok := d.(Answerer)
	if !ok {
		http.Error(w, ErrNoAnswer.Error(), http.StatusNotFound)
		return
	}
	query := r.URL.Query()
	query.Del("open")
	a, err := more.Answer(r.Context(), r.PathValue("name"), query)
	if err != nil {
		http.Error(w, err.Error(), statusOf(err))
		return
	}
	w.Header().Set("Content-Type", a.Kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Data)))
	_, _ = w.Write(a.Data) // the browser may have closed the connection
}

// statusOf returns the status for an error of an Answerer.
func statusOf(err error) int {
	switch {
	case errors.Is(err, ErrNoAnswer):
		return http.StatusNotFound
	case errors.Is(err, ErrChanged):
		return http.StatusConflict
	}
	return http.StatusBadRequest
}

func (s *Server) serveDocument(w http.ResponseWriter, r *http.Request) {
	d, ok := s.document(w, r)
	if !ok {
		return
	}
	data, err := d.Data(r.Context(), r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data) // the browser may have closed the connection
}
