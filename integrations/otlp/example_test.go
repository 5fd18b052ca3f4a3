package otlp_test

import (
	"context"
	"fmt"

	"github.com/nettrace-go/nettrace/agent"
	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/integrations/otlp"
)

// A queue sends profiles to a Collector until it accepts or refuses them.
func ExampleTarget() {
	client, err := delivery.NewClient(config.Target{URL: "http://127.0.0.1:4318"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	q, err := delivery.New(otlp.Target{Client: client}, delivery.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	q.Add(&delivery.Item{ID: "4e3f", Kind: agent.Wall.String(), Body: []byte("no pprof")})
	q.Drain(context.Background())
	fmt.Println(q.Stats().Dropped)
	// Output: map[refused:1]
}

// The message of an item without samples.
func ExampleProfiles() {
	p, err := otlp.Profiles(&delivery.Item{Labels: map[string]string{"service_name": "shop"}, Body: []byte{0x32, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	name, _ := p.ResourceProfiles().At(0).Resource().Attributes().Get("service.name")
	fmt.Println(name.AsString())
	// Output: shop
}
