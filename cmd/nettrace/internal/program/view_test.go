package program_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/profiletrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/view/server"
)

// TestViewMistakes lists wrong command lines.
func TestViewMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"two files", []string{"a", "b"}, exit.Usage, "view takes one file, one of -p, -n and --port, or -- and a command"},
		{"file and process", []string{"-p", "1", "-"}, exit.Usage, "view takes one file, one of -p"},
		{"ring of a file", []string{"--ring", "1m", "-"}, exit.Usage, "--ring needs a process"},
		{"profile of a file", []string{"--profile", "gc-verbose", "-"}, exit.Usage, "--profile needs a process"},
		{"no profile", []string{"--profile", "none", "-p", "1"}, exit.Usage, `"none" is not a profile`},
		{"heap dump", []string{"--profile", "gcdump", "-p", "1"}, exit.Usage, "--profile gcdump makes a heap dump once: nettrace collect"},
		{"ring", []string{"--ring", "1kB", "-p", "1"}, exit.Usage, "--ring: 1kB is less than 1 MiB"},
		{"no process", []string{"-n", "no such program"}, exit.Usage, "no .NET process has the name"},
		{"diff of a process", []string{"--diff", "a", "-p", "1"}, exit.Usage, "--diff needs a file"},
		{"diff of one input", []string{"--diff", "-", "-"}, exit.Usage, "--diff: standard input is FILE already"},
		{"page of nothing", []string{"--no-browser", "--page", "gc"}, exit.Usage, "--page needs a file or a process"},
		{"filter of nothing", []string{"--no-browser", "--from", "1s"}, exit.Usage, "--from needs a file or a process"},
		{"page", []string{"--page", "none", "-"}, exit.Usage, `--page: "none" is no page`},
		{"period", []string{"--from", "2s", "--to", "1s", "-"}, exit.Usage, "standard input: --to is a time before --from"},
		{"regular expression", []string{"--hide", "(", "-"}, exit.Usage, "--hide: error parsing regexp"},
		{"time", []string{"--from", "soon", "-"}, exit.Usage, `--from: "soon"`},
		{"address", []string{"--listen", "nowhere", "--no-browser", "-"}, exit.Usage, "--listen: "},
		{"every address", []string{"--listen", "0.0.0.0:0", "--no-browser", "-"}, exit.Usage, "--listen: 0.0.0.0:0 has no host: name the address"},
		{"port only", []string{"--listen", ":0", "--no-browser", "-"}, exit.Usage, "--listen: :0 has no host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, profiletrace.Trace(), append([]string{"view"}, c.args...)...)
			r.Exits(t, c.code)
			expect.Contains(t, "the error", r.Stderr, c.want)
		})
	}
}

// served is a running "nettrace view".
type served struct {
	base, token string
	page        string     // name of the page in the address
	query       url.Values // in the address
	stderr      *lockedBuffer
	stop        func()
	code        int // exit code, after stop
}

// lockedBuffer is standard error of a program that runs.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serve starts the command and reads the address.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	done := make(chan int)
	s := &served{stderr: &lockedBuffer{}}
	go func() {
		done <- programtest.RunContext(ctx, append([]string{"view", "--no-browser"}, args...), strings.NewReader(""), in, s.stderr)
		in.Close()
	}()
	s.stop = sync.OnceFunc(func() { stop(); s.code = <-done })
	t.Cleanup(s.stop)
	line := make([]byte, 1000)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err, s.stderr)
	}
	address, err := url.Parse(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatal(err)
	}
	var query string
	s.page, query, _ = strings.Cut(address.Fragment, "?")
	if s.query, err = url.ParseQuery(query); err != nil {
		t.Fatal(err)
	}
	s.base, s.token = "http://"+address.Host, s.query.Get("token")
	return s
}

// ask sends a request, with the token if it is not empty, and returns the answer.
func (s *served) ask(t *testing.T, method, path, token string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.base+path, nil)
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
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// TestServe asks the server for its page and its document.
func TestServe(t *testing.T) {
	s := serve(t, "--page", "top", "--from", "1ms", "--thread", "101,102", testfile.New(t, "a.nettrace", profiletrace.Trace()))
	expect.Equal(t, "page", s.page, "/top")
	expect.Equal(t, "from", s.query.Get("from"), "1ms")
	expect.Slices(t, "threads", s.query["thread"], []string{"101", "102"})
	expect.Equal(t, "status of the page", s.ask(t, "GET", "/", "").StatusCode, http.StatusOK)
	expect.Equal(t, "status of the document", s.ask(t, "GET", "/api/data", s.token).StatusCode, http.StatusOK)
	expect.Equal(t, "status without a token", s.ask(t, "GET", "/api/data", "").StatusCode, http.StatusUnauthorized)
}

// TestServeNothing serves a page whose filter matches nothing, and prints that.
func TestServeNothing(t *testing.T) {
	s := serve(t, "--thread", "99", testfile.New(t, "a.nettrace", profiletrace.Trace()))
	expect.Equal(t, "status of the document", s.ask(t, "GET", "/api/data", s.token).StatusCode, http.StatusOK)
	expect.Contains(t, "standard error", s.stderr.String(), "a.nettrace: nothing to show: all ", "are filtered out (threads 99)")
	s.stop()
	expect.Equal(t, "exit code", s.code, exit.Broken)
}

// TestHome lists the traces of the current folder, and opens those only.
func TestHome(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, data := range map[string][]byte{"a.nettrace": profiletrace.Trace(), "b.txt": nil, "bad.nettrace": []byte("no trace")} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t)
	var list struct {
		Traces []struct {
			Name  string
			Bytes int
		}
		Processes []map[string]any
	}
	if err := json.NewDecoder(s.ask(t, "GET", "/api/data", s.token).Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, trace := range list.Traces {
		names = append(names, trace.Name)
	}
	slices.Sort(names)
	expect.Slices(t, "traces", names, []string{"a.nettrace", "bad.nettrace"})
	for _, c := range []struct {
		name, open string
		want       int
	}{
		{"trace", "file:a.nettrace", http.StatusOK},
		{"trace again", "file:a.nettrace", http.StatusOK},
		{"not a trace", "file:b.txt", http.StatusNotFound},
		{"malformed trace", "file:bad.nettrace", http.StatusNotFound},
		{"other folder", "file:../a.nettrace", http.StatusNotFound},
		{"no process", "process-id:999999999", http.StatusNotFound},
		{"no number", "process-id:x", http.StatusNotFound},
		{"neither", "a.nettrace", http.StatusNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "status", s.ask(t, "GET", "/api/data?open="+url.QueryEscape(c.open), s.token).StatusCode, c.want)
		})
	}
}

// TestChanged: a trace that changes on disk is read again if the page asks for it.
func TestChanged(t *testing.T) {
	trace := testfile.New(t, "a.nettrace", profiletrace.Trace())
	s := serve(t, trace)
	states := bufio.NewScanner(s.ask(t, "GET", "/api/live", s.token).Body)
	expect.Equal(t, "first state", next(t, states), server.State{Version: 1})
	if err := os.WriteFile(trace, testfile.Plain(t, "net10-mix-gc.v4"), 0o666); err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "state", next(t, states), server.State{Version: 1, Changed: true})
	first, err := io.ReadAll(s.ask(t, "GET", "/api/data", s.token).Body)
	expect.NoError(t, err)
	again, err := io.ReadAll(s.ask(t, "GET", "/api/data?reload=true", s.token).Body)
	expect.NoError(t, err)
	if bytes.Equal(first, again) {
		t.Error("the document did not change")
	}
	expect.Equal(t, "state", next(t, states), server.State{Version: 2})
}

// next returns the next state of a stream.
func next(t *testing.T, stream *bufio.Scanner) (state server.State) {
	t.Helper()
	for stream.Scan() {
		if text, ok := strings.CutPrefix(stream.Text(), "data: "); ok {
			if err := json.Unmarshal([]byte(text), &state); err != nil {
				t.Fatal(err)
			}
			return state
		}
	}
	t.Fatalf("the stream of states ended: %v", stream.Err())
	return state
}
