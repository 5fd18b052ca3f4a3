package complete

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	library "github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// How much of a trace the completion reads: the user waits for it.
const (
	maxBytes = 4 << 20 // of the file, and of the uncompressed stream
	maxTime  = 300 * time.Millisecond
)

// providers returns the providers of the trace in the arguments, or the known ones before
// there is a trace.
func providers(cmd *cobra.Command, args []string) []word {
	if len(args) == 0 {
		return knownProviders(cmd, args)
	}
	var words []word
	seen := map[string]int{}
	for _, m := range eventTypes(cmd, args[0]) {
		if seen[m.provider]++; seen[m.provider] == 1 {
			words = append(words, word{text: m.provider})
		}
	}
	for i := range words {
		words[i].about = display.Counted(int64(seen[words[i].text]), "event type")
	}
	return words
}

// events returns the names and the ids of the events in the trace. --provider limits them
// to some providers.
func events(cmd *cobra.Command, args []string) (words []word) {
	if len(args) == 0 {
		return nil
	}
	list, _ := cmd.Flags().GetStringArray("provider")
	wanted, err := (&filter.Criteria{Providers: list}).Parse()
	if err != nil {
		return nil
	}
	names, ids := map[string]bool{}, map[uint32]bool{}
	for _, t := range eventTypes(cmd, args[0]) {
		if !wanted.MatchProvider(t.provider) {
			continue
		}
		if !names[t.name] {
			names[t.name] = true
			words = append(words, word{t.name, fmt.Sprintf("%s(%d)", t.provider, t.id)})
		}
		if !ids[t.id] {
			ids[t.id] = true
			words = append(words, word{strconv.FormatUint(uint64(t.id), 10), strings.TrimSuffix(t.provider+"/"+t.name, "/")})
		}
	}
	return words
}

// eventType is what the events of one kind have in common.
type eventType struct {
	provider, name string
	id             uint32
}

// eventTypes returns the types of the events at the beginning of a file. It does not open
// what is not a regular file: opening a pipe can wait forever.
func eventTypes(cmd *cobra.Command, name string) []eventType {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	ctx, cancel := context.WithTimeout(cmd.Context(), maxTime)
	defer cancel()
	return typesIn(ctx, file)
}

// typesIn returns the types of the events in the first maxBytes of a stream, in their
// order. It stops when the context is done, and at an error.
func typesIn(ctx context.Context, stream io.Reader) []eventType {
	src, err := library.NewSource(bound(ctx, stream), library.SourceOptions{})
	if err != nil {
		return nil
	}
	defer src.Close()
	type row struct {
		metadata *codec.Metadata
		version  uint32
	}
	seen := map[row]bool{}
	var list []eventType
	for e, err := range codec.NewReader(bound(ctx, src), input.ReaderOptions(false)).Events() {
		if err != nil {
			break
		}
		r := row{e.Metadata(), e.Version()}
		if r.metadata == nil || seen[r] {
			continue
		}
		seen[r] = true
		t := eventType{r.metadata.Provider, ndjson.EventName(r.metadata, r.version), r.metadata.EventID}
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// bound returns a reader of the first maxBytes of a source that ends when the context is
// done.
func bound(ctx context.Context, src io.Reader) io.Reader {
	return &bounded{ctx, io.LimitedReader{R: src, N: maxBytes}}
}

type bounded struct {
	ctx context.Context
	io.LimitedReader
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, io.EOF
	}
	return b.LimitedReader.Read(p)
}
