package delivery_test

import (
	"context"
	"fmt"

	"github.com/nettrace-go/nettrace/agent/delivery"
)

// A queue drops an item that its target would refuse again.
func ExampleQueue() {
	q, err := delivery.New(refusing{}, delivery.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	q.Add(&delivery.Item{ID: "4e3f", Kind: "wall"})
	q.Drain(context.Background())
	s := q.Stats()
	fmt.Println(s.Sent, s.Dropped, s.LastError)
	// Output: 0 map[refused:1] too old: the item cannot be sent
}

type refusing struct{}

func (refusing) Send(context.Context, *delivery.Item) error {
	return fmt.Errorf("too old: %w", delivery.ErrFinal)
}
