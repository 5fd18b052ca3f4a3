package telemetry_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/telemetry"
)

// TestParse: what is no id is none, also where its begin is one.
func TestParse(t *testing.T) {
	for text, want := range map[string]telemetry.SpanID{
		"00f067aa0ba902b7":   {0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7},
		"00F067AA0BA902B7":   {0x00, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7},
		"":                   {},
		"00f067aa0ba902b":    {},
		"00f067aa0ba902bx":   {},
		"00f067aa0ba902b700": {},
	} {
		expect.Equal(t, text, telemetry.ParseSpanID(text), want)
	}
}

// Ids are compared as values and printed as digits.
func ExampleParseTraceID() {
	id := telemetry.ParseTraceID("4bf92f3577b34da6a3ce929d0e0e4736")
	fmt.Println(id, telemetry.ParseTraceID("none") == telemetry.TraceID{})
	// Output: 4bf92f3577b34da6a3ce929d0e0e4736 true
}
