package chromium_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/chromium"
)

// Write a file for ui.perfetto.dev, and count its events by phase: metadata (M),
// slices (B, E), instants (i) and asynchronous slices (b, e).
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
	if err := chromium.Write(&out, p, chromium.Options{Name: "net10-deep"}); err != nil {
		log.Fatal(err)
	}
	var file struct {
		TraceEvents []struct{ Ph string }
	}
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		log.Fatal(err)
	}
	phases := map[string]int{}
	for _, event := range file.TraceEvents {
		phases[event.Ph]++
	}
	fmt.Println(phases)
	// Output: map[B:17268 E:17268 M:12 b:7 e:7 i:24]
}
