package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/oracle/compare"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestMade: in the traces that package gen makes, the other reader sees the
// events that we see, to the last one, and as many lost.
func TestMade(t *testing.T) {
	needTE(t)
	for i, p := range gen.Profiles() {
		first := 0
		if !tier.Check {
			first = i % len(p.Formats)
		}
		if p.Truncated {
			continue // the other reader drops events that it has not sorted yet
		}
		for _, f := range shared.First(p.Formats[first:], 1) {
			var made bytes.Buffer
			if err := p.Write(&made, gen.Order{Events: 3000, Format: f, Seed: 7}); err != nil {
				t.Fatal(err)
			}
			r := codec.NewBytesReader(made.Bytes(), codec.Options{Strict: true})
			ours, err := compare.Read(r)
			if err != nil {
				t.Errorf("%s v%v: %v", p.Name, f, err)
			}
			path := filepath.Join(t.TempDir(), "made.nettrace")
			if err := os.WriteFile(path, made.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			answer, err := compare.Ask(shared.OtherReader(t), path)
			if err != nil {
				t.Errorf("%s v%v: %v", p.Name, f, err)
				continue
			}
			if differences := compare.Compare(ours, answer.Rows, false); len(differences) > 0 {
				t.Errorf("%s v%v: %d differences, the first: %v", p.Name, f, len(differences), differences[0])
			}
			// In v4 the profile "drops" reuses a thread's id for another thread,
			// which starts at 1: the other reader regards that as a jump forward.
			reused := p.Name == "drops" && f != wire.V6
			expect.Equal(t, fmt.Sprintf("%s v%v: error of the other reader", p.Name, f), answer.Fail, "")
			expect.NotZero(t, fmt.Sprintf("%s v%v: events", p.Name, f), len(ours))
			if uint64(answer.Lost) != r.Lost() && !reused {
				t.Errorf("%s v%v: got %d lost, the other reader has %d", p.Name, f, r.Lost(), answer.Lost)
			}
		}
	}
}
