package program_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestHeap: an answer about the heap dump is what the command heap prints with --json.
func TestHeap(t *testing.T) {
	dumps := []string{
		testfile.New(t, "before.nettrace", shared.TruthFile(t, "heap-leak-dump1.v4.nettrace.zst")),
		testfile.New(t, "after.nettrace", shared.TruthFile(t, "heap-leak-dump2.v4.nettrace.zst")),
	}
	trace := filepath.Join(t.TempDir(), "both.nettrace")
	programtest.Run(t, nil, "merge", dumps[0], dumps[1], "-o", trace).Exits(t, exit.Done)
	s := serve(t, trace)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"types", nil},
		{"all types", []string{"--limit", "0"}},
		{"older dump", []string{"--gc", "2"}},
		{"paths", []string{"--paths", "Leaf[]"}},
		{"dominators", []string{"--dominators", "--min", "0.1"}},
		{"part of the dominators", []string{"--dominators", "--below", "handle > System.Object[]"}},
		{"roots of the older dump", []string{"--roots", "--gc", "2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			query := url.Values{}
			for i := 0; i < len(c.args); i++ {
				name := strings.TrimPrefix(c.args[i], "--")
				query.Set(name, "")
				if i+1 < len(c.args) && !strings.HasPrefix(c.args[i+1], "--") {
					i++
					query.Set(name, c.args[i])
				}
			}
			code, body := s.get(t, "/api/heap?"+query.Encode())
			expect.Equal(t, "status", code, http.StatusOK)
			want := programtest.Run(t, nil, append([]string{"heap", "--json", trace}, c.args...)...)
			expect.Equal(t, "answer", body, strings.Replace(want.Out, trace, "both.nettrace", 1))
		})
	}
	for name, c := range map[string]struct{ query, want string }{
		"other flag": {"format=csv", "--format is no flag of heap"},
		"two views":  {"roots=&dominators=", "exclude each other"},
		"no row":     {"dominators=&below=x", "--below: no row has the path x"},
		"no type":    {"paths=x", "no object has a type x"},
	} {
		t.Run(name, func(t *testing.T) {
			code, body := s.get(t, "/api/heap?"+c.query)
			expect.Equal(t, "status", code, http.StatusBadRequest)
			expect.Contains(t, "answer", body, c.want)
		})
	}
}

// TestHeapRefused: the answer about a dump that cannot be shown has the reason, and whether
// --partial shows it.
func TestHeapRefused(t *testing.T) {
	dump := testfile.Plain(t, "net10-mix-gcheap.v4")
	for _, c := range []struct {
		name, query string
		trace       []byte
		want        string
		incomplete  bool
	}{
		{"no dump", "", testfile.Plain(t, "net10-types.v4"), "no heap dump: nettrace collect --profile gcdump records one", false},
		{"other dump", "gc=7", dump, "(--gc chooses one)", false},
		{"truncated", "", dump[:len(dump)/2], "(--partial shows the rest)", true},
		{"rest of a truncated one", "partial=", dump[:len(dump)/2], "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.nettrace")
			expect.NoError(t, os.WriteFile(path, c.trace, 0o666))
			code, body := serve(t, path).get(t, "/api/heap?"+c.query)
			expect.Equal(t, "status", code, http.StatusOK)
			var answer struct {
				Error      string
				Incomplete bool
				Dump       struct{ Complete bool }
			}
			expect.NoError(t, json.Unmarshal([]byte(body), &answer))
			expect.Equal(t, "incomplete", answer.Incomplete, c.incomplete)
			if c.want == "" {
				expect.Equal(t, "error", answer.Error, "")
			}
			expect.Contains(t, "error", answer.Error, c.want)
		})
	}
}
