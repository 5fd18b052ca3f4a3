package folded_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/folded"
)

// Write the exceptions of a trace as lines for a flame graph.
func ExampleWrite() {
	data, err := corpora.Open("net10-deep.v4")
	if err != nil {
		log.Fatal(err)
	}
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(data, codec.Options{}), profile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := folded.Write(&out, p, folded.Options{Type: profile.Exception}); err != nil {
		log.Fatal(err)
	}
	first, _, _ := strings.Cut(out.String(), "\n")
	fmt.Println(strings.Count(out.String(), "\n"), "paths of calls, the first:")
	fmt.Println(first[strings.LastIndex(first, ";")+1:])
	// Output:
	// 1 paths of calls, the first:
	// DeepScenario.ThrowAt(int, int, int) 24
}
