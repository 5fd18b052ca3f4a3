package events_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestConformance: events --format ndjson passes each case of the conformance suite,
// with and without --strict.
func TestConformance(t *testing.T) {
	args := []string{"events", "--format", "ndjson", "--payload", "--fields", "--stacks", "--rows", "-"}
	for name, args := range map[string][]string{"lenient": args, "strict": append([]string{"events", "--strict"}, args[1:]...)} {
		t.Run(name, func(t *testing.T) {
			if name == "strict" {
				tier.NeedsCheck(t)
			}
			for _, c := range cases.All() {
				t.Run(c.Name, func(t *testing.T) {
					var out bytes.Buffer
					code := programtest.RunContext(t.Context(), args, bytes.NewReader(c.Trace), &out, io.Discard)
					if err := runner.Check(&c, adapter.Exit(code), out.Bytes()); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}
