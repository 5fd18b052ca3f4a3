package runner_test

import (
	"bytes"
	"fmt"

	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

// Compare the lines of a reader with the expected ones.
func ExampleCheck() {
	c := cases.Match("valid/stack/*.v6")[0]
	var lines bytes.Buffer
	exit := adapter.Codec(c.Trace, &lines)
	fmt.Println(runner.Check(&c, exit, lines.Bytes()))

	first, _, _ := bytes.Cut(lines.Bytes(), []byte("\n"))
	fmt.Println(runner.Check(&c, exit, append(first, '\n')))
	// Output:
	// <nil>
	// no end line
}
