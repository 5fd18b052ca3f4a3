package profile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// truth is a line of the log that the program of net10-deep writes.
type truth struct {
	NS    uint64 `json:"ns"`
	TID   uint64 `json:"tid"`
	What  string `json:"what"`
	Shape string `json:"shape"`
	Depth int    `json:"depth"`
}

// readTruth reads the truth file, by thread in order of time.
func readTruth(t *testing.T) map[uint64][]truth {
	byThread := map[uint64][]truth{}
	for lines := json.NewDecoder(bytes.NewReader(shared.Truth(t, "net10-deep"))); lines.More(); {
		var line truth
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.TID > 0 {
			byThread[line.TID] = append(byThread[line.TID], line)
		}
	}
	return byThread
}

// at is the call that a thread was in, or "moving" between two, or "".
func at(list []truth, ticks uint64) truth {
	n := sort.Search(len(list), func(i int) bool { return list[i].NS > ticks })
	switch {
	case n == 0 || n == len(list):
		return truth{}
	case list[n-1].What == "enter" && list[n].What == "leave":
		return list[n-1]
	}
	return truth{Shape: "moving"}
}

// TestTruth compares repair with the log of the program of net10-deep.
func TestTruth(t *testing.T) {
	known := readTruth(t)
	p := read(t, "net10-deep.v4", profile.Options{})
	count, repaired := map[string]int{}, map[string]int{}
	for s := range p.Samples(profile.Wall) {
		if s.Status == profile.Complete {
			continue
		}
		is := at(known[p.Threads()[s.Thread].ID], s.Ticks)
		count[is.Shape]++
		if s.Status != profile.Repaired {
			continue
		}
		repaired[is.Shape]++
		if strings.HasPrefix(is.Shape, "chain") {
			if err := chainOf(p, s.Stack, is.Depth); err != nil {
				t.Errorf("at %d, %s of depth %d: %v", s.Ticks, is.Shape, is.Depth, err)
			}
		}
	}
	recursive := func(m map[string]int) int { return m["straight"] + m["mutual"] + m["iface"] }
	t.Logf("truncated: %v, repaired: %v", count, repaired)
	expect.Equal(t, `count["chain"]`, count["chain"], 1508)
	expect.Equal(t, `count["chain-alloc"]`, count["chain-alloc"], 36)
	expect.Equal(t, "recursive(count)", recursive(count), 1970)
	expect.Equal(t, `count["moving"]+count[""]`, count["moving"]+count[""], 39)
	expect.Equal(t, `repaired["chain"]`, repaired["chain"], 1508)
	expect.Equal(t, `repaired["chain-alloc"]`, repaired["chain-alloc"], 36)
	expect.Equal(t, "recursive(repaired)", recursive(repaired), 0)
}

var link = regexp.MustCompile(`\.M(\d\d\d)\(`)

// chainOf returns what is wrong with a stack that must have M000 to M(depth-1) in
// order between the lambda and Work.
func chainOf(p *profile.Profile, id profile.StackID, depth int) error {
	frames := p.Stack(id)
	next, before, after := 0, "", ""
	for i := len(frames) - 1; i >= 0; i-- {
		name := p.Function(p.Frame(frames[i]).Function).RawName
		m := link.FindStringSubmatch(name)
		switch {
		case m == nil && next == 0:
			before = name
		case m == nil && after == "":
			after = name
		case m != nil && (m[1] != fmt.Sprintf("%03d", next) || after != ""):
			return fmt.Errorf("%s where M%03d should be, of %d frames", m[1], next, len(frames))
		case m != nil:
			next++
		}
	}
	if next != depth || !strings.Contains(before, "DeepScenario+<>c") || !strings.Contains(before, "b__") || !strings.Contains(after, "DeepCtx.Work") {
		return fmt.Errorf("%d links between %q and %q", next, before, after)
	}
	return nil
}
