package main

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestGenerated: what gen makes is what corpora keeps, and corpora keeps no made
// trace that gen does not make.
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
			t.Errorf("%s: one byte more goes unnoticed", trace.name())
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
