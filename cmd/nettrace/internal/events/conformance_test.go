package events_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/program"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

// TestConformance: events --format ndjson passes each case of the conformance suite,
// with and without --strict.
func TestConformance(t *testing.T) {
	args := []string{"events", "--format", "ndjson", "--payload", "--fields", "--stacks", "--rows", "-"}
	for name, args := range map[string][]string{"lenient": args, "strict": append([]string{"events", "--strict"}, args[1:]...)} {
		t.Run(name, func(t *testing.T) {
			for n, c := range cases.All() {
				if testing.Short() && n%8 != 0 {
					continue
				}
				t.Run(c.Name, func(t *testing.T) {
					var out bytes.Buffer
					code := program.Run(args, bytes.NewReader(c.Trace), &out, io.Discard)
					if err := runner.Check(&c, adapter.Exit(code), out.Bytes()); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}
