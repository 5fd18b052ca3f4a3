package stacks

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// TestCompare: equal lines, lines that only one reader names, and different ones.
func TestCompare(t *testing.T) {
	const theirs = "10\tP\t1\t7\tm!A()\t?!0x1\tM!B()\n" +
		"10\tP\t1\t7\t?!0x2\n" +
		"10\tP\t1\t7\tm!A()\t?!0x1\tM!B()\n" + // twice
		"20\tMicrosoft-Windows-DotNETRuntime\t65524\t-1\tm!A()\n" +
		"30\tP\t1\t7\tm!Cut" // incomplete
	lines, err := Parse(theirs)
	if err != nil {
		t.Fatal(err)
	}
	line := func(names ...string) (frames []Frame) {
		for _, name := range names {
			frames = append(frames, Frame{Name: name})
		}
		return frames
	}
	e, gc := Event{10, "P", 1, 7}, Event{20, "Microsoft-Windows-DotNETRuntime", 39, 1<<32 - 1}
	guessed := line("M!A()", "m!C()", "M!B()")
	guessed[1].Evidence = symbols.EntryPoint
	ours := Lines{
		e:                     {line("?!0x2"), line("m!A()", "?!0x1", "m!B()"), guessed, line("m!X()")},
		gc:                    {line("?!0x9")},
		{30, "Unseen", 1, 70}: {line("m!A()")},
	}
	got := Compare(ours, lines)
	want := Figures{
		Lines: 4, OnlyOurs: 2, Frames: 8, Both: 4, OursAlone: 1, EntryPoints: 1, Neither: 2,
		Differ: []Difference{{gc, "?!0x9", "m!A()"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if f := Compare(Lines{}, lines); f.OnlyTheirs != 4 || f.Lines != 0 {
		t.Errorf("without lines of codec: %+v", f)
	}
}

// TestParseFaults: input that is no answer is refused.
func TestParseFaults(t *testing.T) {
	for _, text := range []string{"10\tP\t1\t7\n", "x\tP\t1\t7\tf\n", "1\tP\tx\t7\tf\n", "1\tP\t1\tx\tf\n"} {
		t.Run(fmt.Sprintf("%q", strings.TrimSpace(text)), func(t *testing.T) {
			if lines, err := Parse(text); err == nil {
				t.Error(lines)
			}
		})
	}
}
