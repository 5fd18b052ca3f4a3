package rule_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec/rule"
)

// Look up a rule by the name that messages have.
func ExampleParse() {
	id, ok := rule.Parse("NT-EVB-001")
	fmt.Println(ok, id.Rule().Severity, id.Rule().Versions, id == rule.EVB001)
	// Output: true error 4,5,6 true
}
