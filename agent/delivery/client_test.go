package delivery_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// write writes a file and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPost: what a request has.
func TestPost(t *testing.T) {
	for _, c := range []struct {
		name   string
		target config.Target
		want   string // header Authorization
	}{
		{"no identity", config.Target{}, ""},
		{"token", config.Target{BearerTokenFile: write(t, "token", "secret\n")}, "Bearer secret"},
		{"password", config.Target{BasicAuth: config.BasicAuth{Username: "u", Password: "p"}}, "Basic dTpw"},
		{"password file", config.Target{BasicAuth: config.BasicAuth{Username: "u", PasswordFile: write(t, "password", "p\n")}}, "Basic dTpw"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got *http.Request
			var body []byte
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
			}))
			defer server.Close()
			c.target.URL, c.target.Headers = server.URL+"/", map[string]string{"X-Scope-OrgID": "tenant"}
			client, err := delivery.NewClient(c.target)
			expect.NoError(t, err)
			defer client.Close()
			expect.NoError(t, client.Post(t.Context(), "/push", "application/proto", []byte("body")))
			expect.Equal(t, "path", got.URL.Path, "/push")
			expect.Equal(t, "Authorization", got.Header.Get("Authorization"), c.want)
			expect.Equal(t, "X-Scope-OrgID", got.Header.Get("X-Scope-OrgID"), "tenant")
			expect.Equal(t, "Content-Type", got.Header.Get("Content-Type"), "application/proto")
			expect.Equal(t, "body", string(body), "body")
		})
	}
}

// TestPostRefused: the error has the status, the text and the time to wait.
func TestPostRefused(t *testing.T) {
	for _, c := range []struct {
		name, header string
		min, max     time.Duration
	}{
		{"none", "", 0, 0},
		{"seconds", "7", 7 * time.Second, 7 * time.Second},
		{"too long", "100000", time.Hour, time.Hour},
		{"date", time.Now().Add(30 * time.Minute).UTC().Format(http.TimeFormat), 20 * time.Minute, 30 * time.Minute},
		{"past", "Mon, 02 Jan 2006 15:04:05 GMT", 0, 0},
		{"no time", "soon", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", c.header)
				http.Error(w, "too many series", http.StatusTooManyRequests)
			}))
			defer server.Close()
			client, err := delivery.NewClient(config.Target{URL: server.URL})
			expect.NoError(t, err)
			defer client.Close()
			err = client.Post(t.Context(), "/push", "", nil)
			var refused *delivery.StatusError
			if !errors.As(err, &refused) {
				t.Fatalf("error: got %v, want a *StatusError", err)
			}
			expect.Equal(t, "text", refused.Error(), "the server answers 429 Too Many Requests: too many series")
			expect.AtLeast(t, "time to wait", refused.RetryAfter, c.min)
			expect.AtMost(t, "time to wait", refused.RetryAfter, c.max)
		})
	}
}

// TestDo: the encoding of the body, and the answer of a server that accepts or
// refuses.
func TestDo(t *testing.T) {
	for _, c := range []struct {
		name          string
		status, bytes int
		want          int
	}{
		{"accepted", http.StatusOK, 1000, 1000},
		{"empty", http.StatusOK, 0, 0},
		{"refused", http.StatusBadRequest, 1000, 1000},
		{"long", http.StatusOK, 1 << 20, 16 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			var encoding string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				encoding = r.Header.Get("Content-Encoding")
				w.WriteHeader(c.status)
				_, _ = w.Write(bytes.Repeat([]byte("a"), c.bytes))
			}))
			defer server.Close()
			client, err := delivery.NewClient(config.Target{URL: server.URL})
			expect.NoError(t, err)
			defer client.Close()
			answer, err := client.Do(t.Context(), &delivery.Request{Path: "/", ContentEncoding: "gzip"})
			expect.Equal(t, "Content-Encoding", encoding, "gzip")
			expect.Equal(t, "bytes of the answer", len(answer), c.want)
			var refused *delivery.StatusError
			expect.Equal(t, "refused", errors.As(err, &refused), c.status != http.StatusOK)
			if refused != nil {
				expect.Equal(t, "bytes of the text", len(refused.Text), 500)
			}
		})
	}
}

// TestHeader: answers of the status 1xx come before the answer, and the header of an
// answer is bounded.
func TestHeader(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		accepted     bool
	}{
		{"1xx", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true},
		{"large header", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("a", 2<<20) + "\r\nContent-Length: 0\r\n\r\n", false},
		{"large body", "HTTP/1.1 200 OK\r\nContent-Length: 2097152\r\n\r\n" + strings.Repeat("a", 2<<20), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
					_, _ = io.WriteString(conn, c.answer) // the client can close the connection before
					conn.Close()
				}
			}))
			defer server.Close()
			client, err := delivery.NewClient(config.Target{URL: server.URL})
			expect.NoError(t, err)
			defer client.Close()
			err = client.Post(t.Context(), "/", "", nil)
			expect.Equal(t, fmt.Sprintf("accepted (%v)", err), err == nil, c.accepted)
		})
	}
}

// TestTLS: a certificate must be trusted.
func TestTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	authority := write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	for _, c := range []struct {
		name string
		tls  config.TLS
		ok   bool
	}{
		{"trusted", config.TLS{CAFile: authority}, true},
		{"not trusted, accepted", config.TLS{InsecureSkipVerify: true}, true},
		{"not trusted", config.TLS{}, false},
		{"other name", config.TLS{CAFile: authority, ServerName: "other.test"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, err := delivery.NewClient(config.Target{URL: server.URL, TLS: c.tls})
			expect.NoError(t, err)
			defer client.Close()
			err = client.Post(t.Context(), "/", "", nil)
			expect.Equal(t, "accepted", err == nil, c.ok)
		})
	}
	for name, tls := range map[string]config.TLS{
		"no file":        {CAFile: "missing"},
		"no certificate": {CAFile: write(t, "empty.pem", "x")},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := delivery.NewClient(config.Target{TLS: tls}); err == nil {
				t.Error("error: got none, want one about the certificate")
			}
		})
	}
}

// TestConnection: a connection is used again, and a request is sent on another one if
// the server has closed it.
func TestConnection(t *testing.T) {
	var opened, requests atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) == 4 {
			w.Header().Set("Connection", "close")
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	client, err := delivery.NewClient(config.Target{URL: server.URL})
	expect.NoError(t, err)
	defer client.Close()
	post := func(connections int64) {
		t.Helper()
		expect.NoError(t, client.Post(t.Context(), "/", "", []byte("body")))
		expect.Equal(t, "connections", opened.Load(), connections)
	}
	post(1)
	post(1)
	server.CloseClientConnections()
	post(2)
	post(2) // the server announces that it closes the connection
	post(3)
}

// TestEarlyAnswer: a server that refuses a request before it has read it, and closes the connection.
func TestEarlyAnswer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 100))
			_, _ = io.WriteString(conn, "HTTP/1.1 413 Request Entity Too Large\r\nContent-Length: 9\r\n\r\ntoo large")
			conn.Close()
		}
	}()
	client, err := delivery.NewClient(config.Target{URL: "http://" + l.Addr().String()})
	expect.NoError(t, err)
	defer client.Close()
	err = client.Post(t.Context(), "/", "", make([]byte, 64<<20))
	expect.Contains(t, "error", fmt.Sprint(err), "413", "too large")
}

// TestTimeout: a server that does not answer is an error after remote_timeout.
func TestTimeout(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	client, err := delivery.NewClient(config.Target{URL: server.URL, RemoteTimeout: config.Duration(20 * time.Millisecond)})
	expect.NoError(t, err)
	expect.ErrorIs(t, client.Post(t.Context(), "/", "", nil), context.DeadlineExceeded)
}
