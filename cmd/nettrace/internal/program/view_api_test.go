package program_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// get returns the status and the body of an answer.
func (s *served) get(t *testing.T, path string) (int, string) {
	t.Helper()
	answer := s.ask(t, "GET", path, s.token)
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// list is an answer to /api/events.
type list struct {
	Matched int
	Offsets []int64
	Events  []json.RawMessage
}

// events returns the events of a request.
func (s *served) events(t *testing.T, query string) list {
	t.Helper()
	code, body := s.get(t, "/api/events?"+query)
	expect.Equal(t, "status of "+query, code, http.StatusOK)
	var l list
	if err := json.Unmarshal([]byte(body), &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// TestEvents: parts of the events, chosen by flags, are those of the command events.
func TestEvents(t *testing.T) {
	trace := testfile.Archive(t, "net10-mix-gc.v4")
	s := serve(t, trace)
	for _, c := range []struct{ name, query string }{
		{"all", ""},
		{"providers", "provider=*Runtime&provider=*Sample*"},
		{"names", "event=GC*,10"},
		{"period", "from=1s&to=2s"},
		{"level", "level=warning"},
		{"keyword", "keyword=0x1"},
		{"nothing", "provider=none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := lines(t, trace, c.query)
			first := s.events(t, "limit=100&"+c.query)
			expect.Equal(t, "matched", first.Matched, len(want))
			compare(t, first, want[:min(100, len(want))])
			from := max(0, len(want)-50)
			last := s.events(t, "after="+strconv.Itoa(from)+"&limit=100&"+c.query)
			expect.Equal(t, "matched again", last.Matched, len(want))
			compare(t, last, want[from:])
		})
	}
}

// lines returns the events that the command prints for the flags of a query.
func lines(t *testing.T, trace, query string) []string {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"events", "--format", "ndjson", "--fields", "--stacks", trace}
	for name, list := range values {
		for _, value := range list {
			args = append(args, "--"+name, value)
		}
	}
	var found []string
	for line := range strings.Lines(programtest.Run(t, nil, args...).Out) {
		if strings.HasPrefix(line, `{"type":"event"`) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// compare compares events.
func compare(t *testing.T, got list, want []string) {
	t.Helper()
	expect.Equal(t, "events", len(got.Events), len(want))
	expect.Equal(t, "offsets", len(got.Offsets), len(want))
	for i := range min(len(got.Events), len(want)) {
		var a, b any
		if json.Unmarshal(got.Events[i], &a) != nil || json.Unmarshal([]byte(want[i]), &b) != nil {
			t.Fatalf("event %d is no JSON", i)
		}
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if string(x) != string(y) {
			t.Fatalf("event %d is %s, want %s", i, x, y)
		}
	}
}

// TestWrongRequests lists requests with wrong parameters.
func TestWrongRequests(t *testing.T) {
	s := serve(t, testfile.Archive(t, "net10-mix-gc.v4"))
	for _, c := range []struct{ name, path, want string }{
		{"no flag", "/api/events?colour=red", "--colour is no flag of events"},
		{"value", "/api/events?thread=x", `--thread: "x" is no number`},
		{"period", "/api/events?from=soon", `--from: "soon" is neither`},
		{"order of the period", "/api/events?from=2s&to=1s", "--to is a time before --from"},
		{"part", "/api/events?after=-1", `after: "-1" is no number of events`},
		{"limit", "/api/events?limit=10001", "limit: at most 10000"},
		{"offset", "/api/stack?event=x", `event: "x" is no offset`},
		{"no event", "/api/stack", "stack takes 1 to 1000 events, not 0"},
		{"other parameter", "/api/stack?event=1&provider=a", "stack takes the parameters event and runtime-helpers only"},
		{"profile", "/api/profile?after=1", "--after is no flag of events"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, body := s.get(t, c.path)
			expect.Equal(t, "status", code, http.StatusBadRequest)
			expect.Contains(t, "body", body, c.want)
		})
	}
}

// TestNoAnswer: other names have no answer.
func TestNoAnswer(t *testing.T) {
	code, body := serve(t, testfile.Archive(t, "net10-mix-gc.v4")).get(t, "/api/none")
	expect.Equal(t, "status", code, http.StatusNotFound)
	expect.Contains(t, "body", body, "no such data")
}

// TestEventsChanged: the events of a file that changed are an error.
func TestEventsChanged(t *testing.T) {
	trace := testfile.New(t, "a.nettrace", testfile.Plain(t, "net10-mix-gc.v4"))
	s := serve(t, trace)
	expect.Equal(t, "events", s.events(t, "").Matched, 4657)
	f, err := os.OpenFile(trace, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("more"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, path := range []string{"/api/events", "/api/stack?event=1", "/api/profile?event=10"} {
		code, body := s.get(t, path)
		expect.Equal(t, path, code, http.StatusConflict)
		expect.Contains(t, path, body, "the trace has changed on disk")
	}
}

// TestExport: the page exports what convert writes with the same flags.
func TestExport(t *testing.T) {
	trace := testfile.New(t, "a.nettrace", testfile.Plain(t, "net10-mix-cpu.v4"))
	s := serve(t, trace)
	for _, format := range []string{"pprof", "speedscope", "chromium", "folded"} {
		for _, query := range []string{"type=wall", "type=wall&state=running&hide=%5ESystem%5C.&ignore=%5C(int,%20string&just-my-code=&from=1s&to=4s"} {
			t.Run(format+" "+query, func(t *testing.T) {
				values, err := url.ParseQuery(query)
				expect.NoError(t, err)
				args := []string{"convert", "-o", "-", "--format", format, trace}
				for name, list := range values {
					args = append(args, strings.TrimSuffix("--"+name+"="+quoted(list[0]), "="))
				}
				code, body := s.get(t, "/api/export?format="+format+"&"+query)
				expect.Equal(t, "status", code, http.StatusOK)
				want := programtest.Run(t, nil, args...).Out
				expect.AtLeast(t, "bytes", len(want), 1000)
				if body != want {
					t.Errorf("got %d bytes, want %d others", len(body), len(want))
				}
			})
		}
	}
	for path, want := range map[string]string{
		"/api/export?format=v6":                `--format: "v6" is no format of profiles`,
		"/api/export?format=folded&level=1":    "--level is no flag of convert",
		"/api/export?format=folded&type=none":  `--type: "none" is none of`,
		"/api/export?format=folded&type=alloc": "nothing to show",
	} {
		code, body := s.get(t, path)
		expect.Equal(t, path, code, http.StatusBadRequest)
		expect.Contains(t, path, body, want)
	}
}

// quoted returns a value of a list on a command line.
func quoted(value string) string {
	if strings.Contains(value, ",") {
		return `"` + value + `"`
	}
	return value
}
