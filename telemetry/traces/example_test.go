package traces_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/nettrace-go/nettrace/telemetry/traces"
)

// A session that records a tenth of the traces of one source.
func ExampleProviders() {
	list, err := traces.Providers(traces.Options{Sources: []string{"Shop"}, Ratio: 0.1}, "11.0.0")
	if err != nil {
		log.Fatal(err)
	}
	specification, _, _ := strings.Cut(list[0].Arguments, ";")
	fmt.Println(list[0].Name, specification)
	// Output: Microsoft-Diagnostics-DiagnosticSource FilterAndPayloadSpecs="[AS]Shop/-ParentRatioSampler(0.1):-TraceId
}
