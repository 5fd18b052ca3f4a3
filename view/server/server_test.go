package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/view/server"
)

const host = "127.0.0.1:4711"

// newServer returns a server and its token.
func newServer(t *testing.T) (*server.Server, string) {
	t.Helper()
	s, err := server.New(host, server.Single(server.Fixed("document")))
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(s.Address("summary", "from=3s"))
	if err != nil {
		t.Fatal(err)
	}
	token := regexp.MustCompile(`^/summary\?token=([0-9a-f]{32})&from=3s$`).FindStringSubmatch(address.Fragment)
	if token == nil {
		t.Fatalf("fragment %q", address.Fragment)
	}
	return s, token[1]
}

// TestStatus: assertion 36, and what is served.
func TestStatus(t *testing.T) {
	s, token := newServer(t)
	for _, c := range []struct {
		name, method, path, host string
		header                   map[string]string
		want                     int
	}{
		{"page", "GET", "/", host, nil, http.StatusOK},
		{"data", "GET", "/api/data", host, map[string]string{"Authorization": "Bearer " + token}, http.StatusOK},
		{"wrong host", "GET", "/", "evil.example:4711", nil, http.StatusMisdirectedRequest},
		{"name of the loopback address", "GET", "/", "localhost:4711", nil, http.StatusMisdirectedRequest},
		{"wrong port", "GET", "/", "127.0.0.1:80", nil, http.StatusMisdirectedRequest},
		{"no token", "GET", "/api/data", host, nil, http.StatusUnauthorized},
		{"empty token", "GET", "/api/data", host, map[string]string{"Authorization": "Bearer "}, http.StatusUnauthorized},
		{"other scheme", "GET", "/api/data", host, map[string]string{"Authorization": "Basic " + token}, http.StatusUnauthorized},
		{"wrong token", "GET", "/api/data", host, map[string]string{"Authorization": "Bearer " + strings.Repeat("0", 32)}, http.StatusForbidden},
		{"token in the query", "GET", "/api/data?token=" + token, host, nil, http.StatusUnauthorized},
		{"cross-site post", "POST", "/api/data", host, map[string]string{"Sec-Fetch-Site": "cross-site", "Authorization": "Bearer " + token}, http.StatusForbidden},
		{"post", "POST", "/api/data", host, map[string]string{"Authorization": "Bearer " + token}, http.StatusMethodNotAllowed},
		{"pause of a file", "POST", "/api/live/pause", host, map[string]string{"Authorization": "Bearer " + token}, http.StatusConflict},
		{"cross-site save", "POST", "/api/live/save", host, map[string]string{"Sec-Fetch-Site": "cross-site", "Authorization": "Bearer " + token}, http.StatusForbidden},
		{"save by GET", "GET", "/api/live/save", host, map[string]string{"Authorization": "Bearer " + token}, http.StatusMethodNotAllowed},
		{"states without a token", "GET", "/api/live", host, nil, http.StatusUnauthorized},
		{"other path", "GET", "/etc/passwd", host, nil, http.StatusNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "http://"+c.host+c.path, nil)
			for name, value := range c.header {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			expect.Equal(t, "status", w.Code, c.want)
			expect.Lacks(t, "body", w.Body.String(), token)
		})
	}
}

// TestHeaders: every answer has the headers, also an error.
func TestHeaders(t *testing.T) {
	s, _ := newServer(t)
	for _, path := range []string{"/", "/api/data", "/none"} {
		t.Run(path, func(t *testing.T) {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest("GET", "http://"+host+path, nil))
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
				"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Set-Cookie": "",
			} {
				expect.Equal(t, name, w.Header().Get(name), want)
			}
			expect.Contains(t, "policy", w.Header().Get("Content-Security-Policy"), "default-src 'none'", "frame-ancestors 'none'")
		})
	}
}

// TestTokens: each server has its own token.
func TestTokens(t *testing.T) {
	_, a := newServer(t)
	_, b := newServer(t)
	if a == b {
		t.Errorf("two servers have the token %s", a)
	}
}
