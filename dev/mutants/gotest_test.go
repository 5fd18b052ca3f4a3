package main

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestReadTests reads outputs of go test -json.
func TestReadTests(t *testing.T) {
	const pkg = `"Package":"github.com/nettrace-go/nettrace/edit"`
	for _, c := range []struct {
		name, output string
		outcome      outcome
		by           string
	}{
		{"passed", `{"Action":"pass",` + pkg + `,"Test":"TestA"}
			{"Action":"pass",` + pkg + `}`, passed, ""},
		{"failed", `{"Action":"fail",` + pkg + `,"Test":"TestA/one"}
			{"Action":"fail",` + pkg + `}`, failed, "edit TestA/one"},
		{"no test failed", `{"Action":"fail",` + pkg + `}`, failed, "edit"},
		{"timeout", `{"Action":"output",` + pkg + `,"Test":"TestA","Output":"panic: test timed out after 2m0s\n"}
			{"Action":"fail",` + pkg + `,"Test":"TestA"}`, timedOut, "edit TestA"},
		{"not built", `{"Action":"build-output","Output":"slice.go:1: unused\n"}
			{"Action":"build-fail"}`, notBuilt, "slice.go:1: unused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readTests(strings.NewReader(c.output))
			expect.NoError(t, err)
			expect.Equal(t, "outcome", got.outcome, c.outcome)
			expect.Equal(t, "test", got.by, c.by)
		})
	}
}

// TestReadTestsError: other output is an error.
func TestReadTestsError(t *testing.T) {
	if _, err := readTests(strings.NewReader("ok edit")); err == nil {
		t.Error("no error")
	}
}
