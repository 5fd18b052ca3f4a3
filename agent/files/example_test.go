package files_test

import (
	"fmt"
	"time"

	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/agent/files"
)

// The name of a file.
func ExampleName() {
	fmt.Println(files.Name(&delivery.Item{
		ID: "4e3f0000-1111-8222-8333-444444444444", Kind: "wall", Start: time.Unix(1_800_000_000, 0),
		Labels: map[string]string{"service_name": "shop", "pid": "4711"},
	}))
	// Output: shop-4711-wall-20270115T080000-4e3f0000.pb.gz
}
