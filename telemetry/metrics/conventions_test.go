package metrics_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/telemetry"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
)

//go:embed testdata/conventions.tsv
var conventionsFile string

// convention is a metric of the semantic conventions.
type convention struct{ instrument, unit, attributes string }

func conventions(t testing.TB) map[string]convention {
	t.Helper()
	list := map[string]convention{}
	for line := range strings.Lines(conventionsFile) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); !strings.HasPrefix(line, "#") && len(f) == 4 {
			list[f[0]] = convention{f[1], f[2], f[3]}
		}
	}
	expect.AtLeast(t, "metrics of the conventions", len(list), 30)
	return list
}

// instruments are the kinds of metrics for the instruments of the conventions.
var instruments = map[string]metrics.Kind{"counter": metrics.Sum, "updowncounter": metrics.UpDownSum, "histogram": metrics.Summary}

func (c convention) check(t *testing.T, name, unit string, kind metrics.Kind, attributes []telemetry.Attribute) {
	t.Helper()
	expect.Equal(t, name+": unit", unit, c.unit)
	expect.Equal(t, name+": kind", kind, instruments[c.instrument])
	for _, a := range attributes {
		if !strings.Contains(" "+c.attributes+" ", " "+a.Key+" ") {
			t.Errorf("%s has the attribute %s, the conventions have %s", name, a.Key, c.attributes)
		}
	}
}

// TestMappings: each EventCounter becomes a metric that the conventions have.
func TestMappings(t *testing.T) {
	known := conventions(t)
	for _, m := range metrics.Mappings() {
		c, ok := known[m.Metric]
		expect.Equal(t, m.Metric+" is in the conventions", ok, true)
		var attributes []telemetry.Attribute
		if m.Attribute.Key != "" {
			attributes = append(attributes, m.Attribute)
		}
		c.check(t, m.Metric, m.Unit, m.Kind, attributes)
	}
}

// TestConventions: what is made of recordings is as the conventions say, for Meters too.
func TestConventions(t *testing.T) {
	known := conventions(t)
	seen := map[string]bool{}
	for name, trace := range map[string][]byte{
		"counters": shared.Trace(t, "net10-counters.v4"), "default 10": conversation(t, "counters-default-10.0.12"), "default 11": conversation(t, "counters-default-11.0.0"),
	} {
		read(t, metrics.NewDecoder(metrics.Options{}), trace, func(r *metrics.Round) {
			for _, m := range r.Metrics {
				if c, ok := known[m.Name]; ok {
					seen[m.Name] = true
					for _, p := range m.Points {
						c.check(t, m.Name, m.Unit, m.Kind, p.Attributes)
					}
				} else if m.Scope == "System.Runtime" {
					t.Errorf("%s: the conventions do not have %s", name, m.Name)
				}
			}
		})
	}
	expect.AtLeast(t, "metrics", len(seen), 19)
}
