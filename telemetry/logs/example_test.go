package logs_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/telemetry/logs"
)

// A session that records warnings of all loggers, and everything of one namespace.
func ExampleProviders() {
	options := logs.Options{Level: logs.Warning, Filters: []logs.Filter{{Category: "Shop", Level: logs.Trace}}, Bodies: true}
	for _, p := range logs.Providers(options, "10.0.12") {
		fmt.Printf("%s:%#x:%d:%s\n", p.Name, p.Keywords, p.Level, p.Arguments)
	}
	// Output:
	// Microsoft-Extensions-Logging:0x8:5:FilterSpecs="*:Warning;Shop:Trace"
}
