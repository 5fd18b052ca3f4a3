package stacks

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Figures are the counts of a comparison. Frames are those of the lines that
// both print.
type Figures struct {
	Lines, OnlyOurs, OnlyTheirs int
	Frames                      int
	Both                        int // named, and by the same name
	OursAlone                   int
	EntryPoints                 int // of OursAlone, by the nearest entry point
	Neither                     int
	Differ                      []Difference
}

// Difference is a frame that they name and we do not, or by another name.
type Difference struct {
	Event        Event
	Ours, Theirs string
}

func (d Difference) String() string {
	return fmt.Sprintf("%d %s %d: %s instead of %s", d.Event.Ticks, d.Event.Provider, d.Event.ID, d.Ours, d.Theirs)
}

// Compare holds our lines against theirs.
func Compare(ours, theirs Lines) Figures {
	var f Figures
	for e, lines := range theirs {
		f.event(e, ours[e], lines)
	}
	for e, lines := range ours {
		f.OnlyOurs += max(0, len(lines)-len(theirs[e]))
	}
	return f
}

// event finds for each line of the other reader the most similar one of codec.
func (f *Figures) event(e Event, ours, theirs [][]Frame) {
	used := make([]bool, len(ours))
	for _, line := range theirs {
		best, least := -1, 0
		for i := range ours {
			if used[i] || len(ours[i]) != len(line) {
				continue
			}
			if d := distance(ours[i], line); best < 0 || d < least {
				best, least = i, d
			}
		}
		if best < 0 {
			f.OnlyTheirs++
			continue
		}
		used[best] = true
		f.line(e, ours[best], line)
	}
}

// distance weighs how two lines differ: a name that contradicts another counts
// more than all that have none.
func distance(ours, theirs []Frame) int {
	d := 0
	for i := range ours {
		switch {
		case ours[i].folded() == theirs[i].folded():
		case theirs[i].Named():
			d += len(ours) + 1
		default:
			d++
		}
	}
	return d
}

// line counts the frames of a line that both print.
func (f *Figures) line(e Event, ours, theirs []Frame) {
	f.Lines++
	f.Frames += len(theirs)
	for i, one := range theirs {
		own := ours[i]
		switch {
		case one.Named() && own.folded() == one.folded():
			f.Both++
		case one.Named():
			f.Differ = append(f.Differ, Difference{e, own.Name, one.Name})
		case own.Named():
			f.OursAlone++
			if own.Evidence == symbols.EntryPoint {
				f.EntryPoints++
			}
		default:
			f.Neither++
		}
	}
}
