package codectest_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// result is the result of reading a stream to its end.
type result struct {
	events int
	err    error
}

// drain reads a stream to its end.
func drain(r *codec.Reader) result {
	var got result
	for _, err := range r.Events() {
		if err != nil {
			got.err = err
			break
		}
		got.events++
	}
	return got
}

// smallCorpora lists the traces of corpora, in make test those of at most 1 MB.
func smallCorpora(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, e := range shared.Corpora(t) {
		if tier.Check || e.Size <= 1<<20 {
			names = append(names, e.Name)
		}
	}
	return names
}
