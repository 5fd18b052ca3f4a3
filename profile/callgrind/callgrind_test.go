package callgrind_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/callgrind"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

func read(ctx context.Context, name string) (*profile.Profile, error) {
	data, err := corpora.Open(name)
	if err != nil {
		return nil, err
	}
	return profile.FromReader(ctx, codec.NewBytesReader(data, codec.Options{}), profile.Options{})
}

var definition = regexp.MustCompile(`^c?fn=\((\d+)\)(?: (.*))?$`)

// TestWrite reads the file as the specification says. Each function has its own time and
// that of its calls, and both lines of sums are those of the samples.
func TestWrite(t *testing.T) {
	p, err := read(t.Context(), "net10-deep.v4")
	if err != nil {
		t.Fatal(err)
	}
	types := []profile.Type{profile.Wall, profile.CPUApprox}
	var out bytes.Buffer
	if err := callgrind.Write(&out, p, callgrind.Options{Types: types}); err != nil {
		t.Fatal(err)
	}
	names, own := map[string]string{}, map[string]int64{}
	current, call := "", false
	var sums []string
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if m := definition.FindStringSubmatch(line); m != nil {
			if m[2] != "" {
				names[m[1]] = m[2]
			}
			if names[m[1]] == "" {
				t.Fatalf("%s is not defined", line)
			}
			if !strings.HasPrefix(line, "c") {
				current = names[m[1]]
			}
		}
		switch {
		case strings.HasPrefix(line, "summary:") || strings.HasPrefix(line, "totals:"):
			_, sum, _ := strings.Cut(line, ": ")
			sums = append(sums, sum)
		case strings.HasPrefix(line, "calls="):
			call = true
		case strings.HasPrefix(line, "0 "):
			if cost, err := strconv.ParseInt(strings.Fields(line)[1], 10, 64); err != nil {
				t.Fatal(err)
			} else if !call {
				own[current] += cost
			}
			call = false
		}
	}
	want, tree := map[string]int64{}, calltree.New(calltree.NewNames(p, calltree.Naming(false)))
	tree.AddAll(p.Totals(profile.Wall))
	var total [2]int64
	for i := 1; i < len(tree.Nodes); i++ {
		want[tree.Names.List[tree.Nodes[i].Name].Text] += tree.Nodes[i].Self
	}
	for i, typ := range types {
		for s := range p.Samples(typ) {
			total[i] += s.Value
		}
	}
	for name, cost := range want {
		if own[name] != cost {
			t.Errorf("%s: %d ns, want %d", name, own[name], cost)
		}
	}
	if text := fmt.Sprint(total[0], total[1]); len(sums) != 2 || sums[0] != text || sums[1] != text {
		t.Errorf("sums %q, want twice %q", sums, text)
	}
}

// Write all types of samples of a trace for KCachegrind.
func ExampleWrite() {
	p, err := read(context.Background(), "net10-deep.v4")
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := callgrind.Write(&out, p, callgrind.Options{Types: []profile.Type{profile.Exception}}); err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "events:") || strings.HasPrefix(line, "summary:") {
			fmt.Print(line)
		}
	}
	// Output:
	// events: exception
	// summary: 24
}
