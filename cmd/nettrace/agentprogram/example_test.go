package agentprogram_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/cmd/nettrace/agentprogram"
)

// printer is a target that prints what it gets.
type printer struct{}

func (printer) Send(_ context.Context, item *delivery.Item) error {
	fmt.Println(item.Labels["service_name"], item.Kind, len(item.Body), "bytes")
	return nil
}

// A program that can send profiles to targets of the type printer too. Its function
// main calls Main instead of Run.
func Example() {
	program := agentprogram.Program{
		Name: "printing-agent", Push: "printer", Server: "http://printer",
		Targets: map[string]func(*delivery.Client) delivery.Target{
			"printer": func(*delivery.Client) delivery.Target { return printer{} },
		},
	}
	file, err := os.CreateTemp("", "*.yaml")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file.Name())
	fmt.Fprintln(file, "processes: [{name: shop}]\ntargets: [{type: printer, url: http://printer}]")
	file.Close()
	fmt.Println(program.Run([]string{"--config", file.Name(), "--check-config"}, os.Stderr, os.Stderr))
	// Output: 0
}
