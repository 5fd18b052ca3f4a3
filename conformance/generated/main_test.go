package main

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestGenerated: gen makes exactly the generated traces of corpora.
func TestGenerated(t *testing.T) {
	made := map[string]bool{}
	for _, trace := range traces() {
		made[trace.name()] = true
		data, err := trace.bytes()
		if err != nil {
			t.Errorf("%s: %v", trace.name(), err)
			continue
		}
		if err := trace.compare(data); err != nil {
			t.Error(err)
		}
		if changed := append(data, 0); trace.compare(changed) == nil {
			t.Errorf("%s: an additional byte is not reported", trace.name())
		}
	}
	for _, e := range shared.Corpora(t) {
		t.Run(e.Name, func(t *testing.T) {
			if strings.HasPrefix(e.Name, "gen-") && !made[e.Name] {
				t.Error("kept, but not made")
			}
		})
	}
}
