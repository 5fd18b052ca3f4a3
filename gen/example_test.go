package gen_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
)

// Make a trace with a thousand events. A seed always gives the same bytes.
func ExampleProfile_Write() {
	p, ok := gen.FindProfile("steady")
	if !ok {
		log.Fatal("no such profile")
	}
	var out bytes.Buffer
	if err := p.Write(&out, gen.Order{Events: 1000, Format: wire.V6, Seed: 1}); err != nil {
		log.Fatal(err)
	}
	r := codec.NewReader(&out, codec.Options{})
	for _, ok := r.Next(); ok; _, ok = r.Next() {
	}
	fmt.Println(r.Count(), "events,", r.Lost(), "lost,", r.Err())
	// Output: 1000 events, 0 lost, <nil>
}
