package check_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// Check a stream that is truncated.
func ExampleStream() {
	data, err := corpora.Open("net10-counters.v4")
	if err != nil {
		log.Fatal(err)
	}
	report, err := check.Stream(bytes.NewReader(data[:len(data)-1]), check.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("complete:", report.Complete)
	for _, f := range report.Findings {
		if f.Severity == report.Worst() {
			fmt.Println(f.Severity, f.Rule, f.Rule.Rule().Sentence)
		}
	}
	// Output:
	// complete: false
	// error NT4-EOS-004 The stream ends with the null tag, 0x01.
}
