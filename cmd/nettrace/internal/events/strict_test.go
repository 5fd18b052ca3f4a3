package events_test

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestEventsStrictFields: events --strict --fields ends with an exit code of the
// contract on every trace and stream, in both orders.
func TestEventsStrictFields(t *testing.T) {
	check := func(t *testing.T, data []byte) {
		for _, order := range []string{"file", "time"} {
			t.Run(order, func(t *testing.T) {
				var stderr bytes.Buffer
				code := programtest.RunContext(t.Context(), []string{"events", "--strict", "--fields", "--order", order, "-"}, bytes.NewReader(data), io.Discard, &stderr)
				if !slices.Contains([]int{exit.Done, exit.Broken, exit.Version}, code) {
					t.Errorf("order %s: exit %d, stderr %s", order, code, stderr.String())
				}
				if code == exit.Done && strings.Contains(stderr.String(), "defect") {
					t.Errorf("order %s: exit 0 with a defect: %s", order, stderr.String())
				}
			})
		}
	}
	t.Run("traces", func(t *testing.T) {
		for _, name := range shared.Small(t) {
			t.Run(name, func(t *testing.T) { check(t, shared.Trace(t, name)) })
		}
	})
	t.Run("streams", func(t *testing.T) {
		for i, name := range shared.Streams(t) {
			if !tier.Check && i%5 > 0 {
				continue
			}
			t.Run(name, func(t *testing.T) { check(t, shared.Stream(t, name)) })
		}
	})
	t.Run("misfit", func(t *testing.T) {
		r := programtest.Run(t, nil, "events", "--strict", "--fields", filepath.Join("testdata", "strict-fields.nettrace"))
		if lines := strings.Count(r.Out, "\n"); r.Code != exit.Broken || lines != 1 {
			t.Errorf("exit %d, %d lines, want 1 and the first event alone", r.Code, lines)
		}
		if !strings.Contains(r.Stderr, "NT-PAY-001") {
			t.Errorf("stderr %q, want NT-PAY-001", r.Stderr)
		}
	})
}
