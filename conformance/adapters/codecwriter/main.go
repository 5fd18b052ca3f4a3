// Codecwriter is codec.Writer as a writer under test:
//
//	nettrace conformance write -- go run ./conformance/adapters/codecwriter
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/rows"
)

func main() { os.Exit(run(os.Stdin, os.Stdout, os.Stderr)) }

// run writes nothing unless it can write all.
func run(in io.Reader, out, complaints io.Writer) int {
	text, err := io.ReadAll(in)
	if err != nil {
		fmt.Fprintln(complaints, err)
		return int(adapter.Rejected)
	}
	lines, err := rows.Parse(text)
	var trace bytes.Buffer
	if err == nil {
		err = rows.Write(&trace, lines)
	}
	if err == nil {
		_, err = out.Write(trace.Bytes())
	}
	switch {
	case errors.Is(err, rows.ErrUnsupported):
		fmt.Fprintln(complaints, err)
		return int(adapter.Unsupported)
	case err != nil:
		fmt.Fprintln(complaints, err)
		return int(adapter.Rejected)
	}
	return int(adapter.Read)
}
