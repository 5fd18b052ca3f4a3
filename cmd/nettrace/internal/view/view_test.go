package view_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/program"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMistakes lists wrong command lines.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no file", nil, exit.Usage, "view takes one file, not 0"},
		{"page", []string{"--page", "none", "-"}, exit.Usage, `--page: "none" is no page`},
		{"regular expression", []string{"--hide", "(", "-"}, exit.Usage, "--hide: error parsing regexp"},
		{"time", []string{"--from", "soon", "-"}, exit.Usage, `--from: "soon"`},
		{"address", []string{"--listen", "nowhere", "--no-browser", "-"}, exit.Usage, "--listen: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, profiletrace.Trace(), append([]string{"view"}, c.args...)...)
			r.Exits(t, c.code)
			expect.Contains(t, "the error", r.Stderr, c.want)
		})
	}
}

// TestServe asks the server for its page and its document.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan int)
	var stderr bytes.Buffer
	trace := testfile.New(t, "a.nettrace", profiletrace.Trace())
	go func() {
		done <- program.RunContext(ctx, []string{"view", "--no-browser", "--page", "top", "--from", "1ms", "--thread", "1,2", trace}, strings.NewReader(""), in, &stderr)
	}()
	line := make([]byte, 1000)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address, err := url.Parse(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	name, query, _ := strings.Cut(address.Fragment, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "page", name, "/top")
	expect.Equal(t, "from", values.Get("from"), "1ms")
	expect.Slices(t, "threads", values["thread"], []string{"1", "2"})
	expect.Equal(t, "status of the page", status(t, "http://"+address.Host+"/", ""), http.StatusOK)
	expect.Equal(t, "status of the document", status(t, "http://"+address.Host+"/api/data", values.Get("token")), http.StatusOK)
	expect.Equal(t, "status without a token", status(t, "http://"+address.Host+"/api/data", ""), http.StatusUnauthorized)
	stop()
	<-done
}

// status returns the status of an answer.
func status(t *testing.T, address, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode
}
