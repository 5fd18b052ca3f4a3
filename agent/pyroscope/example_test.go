package pyroscope_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/agent/pyroscope"
)

// The message that a server receives.
func ExampleAppendRequest() {
	message := pyroscope.AppendRequest(nil, &delivery.Item{ID: "4e3f", Kind: "wall", Labels: map[string]string{"service_name": "shop"}})
	fmt.Printf("%q\n", message)
	// Output: "\nF\n\x12\n\t__delta__\x12\x05false\n\x10\n\b__name__\x12\x04wall\n\x14\n\fservice_name\x12\x04shop\x12\b\n\x00\x12\x044e3f"
}
