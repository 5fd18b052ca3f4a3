package config_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/agent/config"
)

// An unknown key is an error with its line.
func ExampleParse() {
	_, err := config.Parse([]byte("processes:\n  - name: shop\n    containr_id: 4711\n"))
	fmt.Println(err)
	// Output: line 3: unknown key "containr_id"
}
