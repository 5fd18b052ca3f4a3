package runner

import (
	"testing"

	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestWritable: writers get the valid cases whose traces have at most warnings.
func TestWritable(t *testing.T) {
	for name, want := range map[string]bool{
		"valid/event/forty-days-later.v6":   true,
		"valid/trace/no-process.v4":         true, // with the warning NT4-TRC-009
		"valid/netperf/two-events.v3":       false,
		"either/event/block-flag.v6":        false,
		"invalid/event/no-rows.v6":          false,
		"valid/metadata/metadata-header.v6": true,
	} {
		t.Run(name, func(t *testing.T) {
			list := cases.Match(name)
			expect.Len(t, "cases", list, 1)
			expect.Equal(t, "Writable", Writable(&list[0]), want)
		})
	}
}
