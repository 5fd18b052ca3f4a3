package nettracereceiver_test

import (
	"fmt"
	"log"

	"go.opentelemetry.io/collector/confmap"

	"github.com/nettrace-go/nettrace/integrations/nettracereceiver"
)

// What a Collector does with the configuration of the receiver.
func ExampleNewFactory() {
	factory := nettracereceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*nettracereceiver.Config)
	yaml := map[string]any{"logs": map[string]any{"level": "Verbose"}}
	if err := confmap.NewFromStringMap(yaml).Unmarshal(cfg); err != nil {
		log.Fatal(err)
	}
	fmt.Println(factory.Type(), factory.LogsStability(), cfg.FlushInterval)
	fmt.Println(cfg.Validate())
	// Output:
	// nettrace Development 1s
	// logs::level: "Verbose" is none of Trace, Debug, Information, Warning, Error, Critical
}
