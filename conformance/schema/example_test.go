package schema_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/nettrace-go/nettrace/conformance/schema"
)

// Compare two lines with the schema. The second one has a number where the
// protocol has a decimal string.
func Example() {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema.Lines))
	if err != nil {
		log.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("lines.json", document); err != nil {
		log.Fatal(err)
	}
	lines, err := compiler.Compile("lines.json")
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{
		`{"type":"end","events":17,"lost":"0","truncated":false}`,
		`{"type":"end","events":17,"lost":0,"truncated":false}`,
	} {
		line, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(lines.Validate(line) == nil)
	}
	// Output:
	// true
	// false
}
