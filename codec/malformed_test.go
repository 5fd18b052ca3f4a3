package codec_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
)

var update = flag.Bool("update", false, "write the golden files anew")

// malformed is a stream with one fault of the catalogue of malformed inputs of
// ../shared/reference/traceevent.md, section 2. The name begins with the number
// it has there.
type malformed struct {
	name   string
	stream []byte
}

// elsewhere are the numbers that other tests hold.
var elsewhere = map[int]string{
	28: "TestCutStreams", 90: "clr: symbols", 91: "clr: IL maps", 92: "clr: GC events",
	93: "clr: symbols", 94: "of another format", 95: "of another format",
}

// TestMalformed compares the results of a Reader with testdata/malformed.txt: the
// delivered events, bad blocks, the final error, defects, fields that do not fit.
// None costs more than a megabyte.
func TestMalformed(t *testing.T) {
	var got strings.Builder
	met := map[int]bool{}
	for _, group := range [][]malformed{malformedFraming(), malformedRows(), malformedTables(), malformedPayloads()} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				var number int
				if _, err := fmt.Sscanf(c.name, "%d-", &number); err != nil {
					t.Fatal("the name has no number")
				}
				met[number] = true
				before := heapAllocated()
				fmt.Fprintf(&got, "%s: %s\n", c.name, outcome(c.stream))
				if took, limit := heapAllocated()-before, 2<<20+8*uint64(len(c.stream)); took > limit {
					t.Errorf("got %d bytes allocated, want at most %d", took, limit)
				}
			})
		}
	}
	for n := 1; n <= 95; n++ {
		if met[n] == (elsewhere[n] != "") {
			t.Errorf("number %d: a case here: %v, elsewhere: %q", n, met[n], elsewhere[n])
		}
	}
	const file = "testdata/malformed.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sameLines(t, string(want), got.String())
}

// sameLines reports the lines that differ.
func sameLines(t *testing.T, want, got string) {
	t.Helper()
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			t.Fatalf("line %d is\n%s\nwas\n%s", i+1, append(b, make([]string, i+1)...)[i], append(a, make([]string, i+1)...)[i])
		}
	}
}

// outcome describes how a Reader ends that skips bad blocks.
func outcome(stream []byte) string {
	r := codec.NewBytesReader(clipped(stream), codec.Options{OnError: codec.Skip})
	events, misfits := 0, map[rule.ID]int{}
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		events++
		if bad := codec.RuleOf(e.FieldsError()); bad != rule.None {
			misfits[bad]++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "events %d", events)
	if _, first := r.BadBlocks(); first != nil {
		fmt.Fprintf(&b, ", bad block %s", place(first))
	}
	for _, d := range r.Defects() {
		word := "defect"
		if misfits[d.Rule] > 0 {
			word = "fields"
		}
		fmt.Fprintf(&b, ", %s %s", word, place(d.Err))
	}
	if r.Err() != nil {
		fmt.Fprintf(&b, ", ends with %s", place(r.Err()))
	}
	if n := r.Lost(); n > 0 {
		fmt.Fprintf(&b, ", lost %d", n)
	}
	if n, _ := r.TrailingBytes(); n > 0 {
		fmt.Fprintf(&b, ", %d bytes after the end", n)
	}
	return b.String()
}

func place(err error) string {
	var e *codec.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return fmt.Sprintf("%v at %d", e.Rule, e.Offset)
}
