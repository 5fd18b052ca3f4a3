package report

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestViews: each part has a view with all functions and with what records it, and
// each view is of a part.
func TestViews(t *testing.T) {
	expect.Equal(t, "views", len(views), len(parts.Names()))
	for _, part := range parts.All() {
		t.Run(part.Name(), func(t *testing.T) {
			v := viewOf(part.Name())
			if v == nil {
				t.Fatal("no view")
			}
			for name, missing := range map[string]bool{
				"short": v.short == "", "long": v.long == "", "summary": v.summary == nil, "totals": v.totals == nil, "tables": v.tables == nil,
			} {
				expect.Equal(t, name+" is missing", missing, false)
			}
			providers, err := providersOf(parts.All(), 10, counters.MetersSession{})
			expect.NoError(t, err)
			expect.AtLeast(t, "providers that -p records", len(providers), 1)
		})
	}
}
