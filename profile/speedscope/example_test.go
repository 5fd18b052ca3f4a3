package speedscope_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/speedscope"
)

// Write the wall time of all threads as one flame graph, and list the profiles
// of the file.
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
	if err := speedscope.Write(&out, p, speedscope.Options{Name: "net10-deep", Merge: true}); err != nil {
		log.Fatal(err)
	}
	var file struct {
		Profiles []struct {
			Name, Type, Unit string
			Samples          [][]int
		}
	}
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		log.Fatal(err)
	}
	for _, written := range file.Profiles {
		fmt.Println(written.Name, written.Type, written.Unit, len(written.Samples), "paths of calls")
	}
	// Output: All threads sampled nanoseconds 122 paths of calls
}
