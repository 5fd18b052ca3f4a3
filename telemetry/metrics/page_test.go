package metrics_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
)

// TestPage: the page for hosts has a row for each EventCounter that is a metric.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/hosts.md")
	expect.NoError(t, err)
	for _, m := range metrics.Mappings() {
		attribute := ""
		if m.Attribute.Key != "" {
			attribute = fmt.Sprintf("%s=%v", m.Attribute.Key, m.Attribute.Value)
		}
		how := m.Kind.String()
		switch {
		case m.Minus != "":
			how += " of the increments without those of " + m.Minus
		case m.Absolute:
			how += " of the growth of a total"
		case m.Scale != 1:
			how += fmt.Sprintf(", times %g", m.Scale)
		}
		expect.Contains(t, "page", string(page), fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", m.Source, m.Counter, m.Metric, m.Unit, attribute, how))
	}
}
