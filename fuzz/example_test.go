package fuzz_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/fuzz"
)

// An engine that knows bytes only, such as libFuzzer, calls Run with each input.
func ExampleRun() {
	fuzz.Run("FuzzReader", []byte("Nettrace"))
	fmt.Println(len(fuzz.Targets()) > 0)
	// Output: true
}
