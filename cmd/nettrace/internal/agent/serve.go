package agent

import (
	"io"
	"log"
	"net"
	"net/http"
	"runtime/pprof"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// endpoint is an address that the agent serves.
type endpoint struct {
	address string // of the configuration
	socket  *net.TCPListener
	secure  *serverTLS    // nil: http
	server  *http.Server  // nil before serve
	ended   chan struct{} // closed when the server has ended
}

// open opens an address. It answers nothing before serve.
func open(address string) (*endpoint, error) {
	socket, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return &endpoint{address: address, socket: socket.(*net.TCPListener)}, nil
}

// serve answers requests until pause or close, with TLS if there is one.
func (e *endpoint) serve(h http.Handler, secure *serverTLS) {
	var l net.Listener = lasting{e.socket}
	if secure != nil {
		l = secure.listener(l)
	}
	server, ended := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: log.New(io.Discard, "", 0)}, make(chan struct{})
	e.secure, e.server, e.ended = secure, server, ended
	go func() {
		defer close(ended)
		_ = server.Serve(l)
	}()
}

// pause closes all connections. The next ones wait for serve.
func (e *endpoint) pause() {
	e.server.Close()
	<-e.ended
	_ = e.socket.SetDeadline(time.Time{}) // an error means that it is closed
}

// lasting is a socket whose Close ends Accept, and leaves it open.
type lasting struct{ *net.TCPListener }

func (l lasting) Close() error { return l.SetDeadline(time.Unix(1, 0)) }

// close closes the address and its connections.
func (e *endpoint) close() {
	e.socket.Close()
	if e.server != nil {
		e.server.Close()
	}
}

// url is the address for a user.
func (e *endpoint) url(path string) string {
	scheme := "http://"
	if e.secure != nil {
		scheme = "https://"
	}
	return scheme + e.socket.Addr().String() + path
}

// metricsOf serves the metrics of a collector.
func metricsOf(list ...prometheus.Collector) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(list...)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// publicHandler serves the counters of all processes.
func publicHandler(s *series) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", metricsOf(s))
	return mux
}

// adminHandler serves the state of the agent. ready is false at its end.
func adminHandler(o *own, ready *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", metricsOf(o, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !ready.Load() {
			http.Error(w, "the agent is not ready", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	mux.HandleFunc("/debug/pprof/{profile}", serveProfile)
	return mux
}

// serveProfile serves a profile of the agent: heap, goroutine and others, and
// profile, its processor time for 10 s. (Package net/http/pprof would make the program
// 300 kB larger.)
func serveProfile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("profile")
	w.Header().Set("Content-Type", "application/octet-stream")
	if name == "profile" {
		if err := pprof.StartCPUProfile(w); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		defer pprof.StopCPUProfile()
		select {
		case <-time.After(10 * time.Second):
		case <-r.Context().Done():
		}
		return
	}
	found := pprof.Lookup(name)
	if found == nil {
		http.NotFound(w, r)
		return
	}
	_ = found.WriteTo(w, 0) // the client has left
}
