package trigger_test

import (
	"fmt"
	"log"
	"time"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

func Example() {
	rule, err := trigger.Parse("ExceptionThrown:ExceptionType=*Timeout* > 1/s")
	if err != nil {
		log.Fatal(err)
	}
	m := trigger.NewMatcher([]*trigger.Rule{rule}, trigger.Options{
		Cooldown: time.Minute,
		OnFire:   func(f trigger.Firing) { fmt.Printf("%s: %s\n", f.Rule, f.Text) },
	})
	trace := newMade().add(thrown(10, 1, "System.TimeoutException"), thrown(20, 1, "System.IO.IOException"), thrown(30, 1, "System.TimeoutException"),
		thrown(40, 1, "System.TimeoutException")).trace()
	for ev, err := range codec.NewBytesReader(trace, codec.Options{Schemas: clr.Schemas}).Events() {
		if err != nil {
			log.Fatal(err)
		}
		m.Event(ev)
	}
	status := m.Status()[0]
	fmt.Println("fired", status.Fired, "suppressed", status.Suppressed)
	// Output:
	// ExceptionThrown:ExceptionType=*Timeout* > 1/s: 2 events Microsoft-Windows-DotNETRuntime/ExceptionThrown in 1s
	// fired 1 suppressed 1
}
