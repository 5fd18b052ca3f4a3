// Command nettrace-otlp profiles many .NET processes continuously, as nettrace agent
// does, and sends the profiles to targets of the type otlp too: to a Collector of
// OpenTelemetry.
//
//	nettrace-otlp --name shop --push http://collector:4318
package main

import (
	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/cmd/nettrace/agentprogram"
	"github.com/nettrace-go/nettrace/integrations/otlp"
)

func main() { program.Main() }

// program is nettrace agent with targets of the type otlp.
var program = agentprogram.Program{
	Name: "nettrace-otlp", Push: config.OTLP, Server: "http://collector:4318",
	Targets: map[string]func(*delivery.Client) delivery.Target{
		config.OTLP: func(c *delivery.Client) delivery.Target { return otlp.Target{Client: c} },
	},
}
