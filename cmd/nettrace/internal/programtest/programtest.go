// Package programtest runs the program in tests, within the process of the test or as a
// process of its own.
//
// Only tests import this package.
package programtest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// Result is the result of a run.
type Result struct {
	Code        int    // exit code
	Out, Stderr string // what was printed
}

// Run runs the program in this process.
func Run(t *testing.T, stdin []byte, args ...string) Result {
	t.Helper()
	var out, stderr bytes.Buffer
	code := RunContext(t.Context(), args, bytes.NewReader(stdin), &out, &stderr)
	return Result{code, out.String(), stderr.String()}
}

// Exits reports an error if the run ended with another exit code.
func (r Result) Exits(t *testing.T, code int) {
	t.Helper()
	if r.Code != code {
		t.Errorf("exit code: got %d, want %d; stderr %q", r.Code, code, r.Stderr)
	}
}

// Complains reports an error if standard error has not this text; where it is
// empty, if standard error has any.
func (r Result) Complains(t *testing.T, stderr string) {
	t.Helper()
	WantText(t, "stderr", r.Stderr, stderr)
}

// WantText reports an error if got has not the text want; where it is empty, if
// got has any.
func WantText(t *testing.T, what, got, want string) {
	t.Helper()
	if want == "" {
		expect.Equal(t, what, got, "")
	}
	expect.Contains(t, what, got, want)
}

// Objects returns the JSON objects of a text.
func Objects(t *testing.T, out string) []map[string]any {
	t.Helper()
	var list []map[string]any
	d := json.NewDecoder(strings.NewReader(out))
	d.UseNumber()
	for d.More() {
		var one map[string]any
		expect.NoError(t, d.Decode(&one))
		expect.Stop(t)
		list = append(list, one)
	}
	return list
}
