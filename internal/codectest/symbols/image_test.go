package symbols_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// compiled is a method that was compiled ahead of time.
type compiled struct {
	module, start, end uint64
	name               string
}

// TestEntryPointsInImage: one program runs in two traces, with the images of its
// libraries at other addresses. One has entry points and no rundown, the other a
// rundown: each frame that an entry point names in the first must be in the
// method of that name in the second, at the same place in the image.
func TestEntryPointsInImage(t *testing.T) {
	methods := compiledMethods(t, "net10-mix-cpu.v4")
	byName := map[string][]compiled{}
	for _, m := range methods {
		byName[m.name] = append(byName[m.name], m)
	}
	counts := entryPointFrames(t, "net10-allevents.v4")
	moved := distances(t, "net10-allevents.v4", byName)
	images := imageRanges(methods)
	frames, same, absent := 0, 0, 0
	for f, n := range counts {
		frames += n
		found := ""
		for module, distance := range moved {
			place := f.address - distance
			if image := images[module]; place < image[0] || place >= image[1] {
				continue
			}
			if found = methodAt(methods, place); found != "" {
				break
			}
		}
		switch found {
		case f.name:
			same += n
		case "":
			absent += n
		default:
			t.Errorf("%#x is in %s, not in %s", f.address, found, f.name)
		}
	}
	t.Logf("%d frames at %d addresses by entry points: %d in the same method of the other image, %d where its rundown has none", frames, len(counts), same, absent)
	if same < 300_000 {
		t.Errorf("%d frames in the same method", same)
	}
}

// compiledMethods are those of a trace's rundown, by address.
func compiledMethods(t *testing.T, name string) []compiled {
	t.Helper()
	const jitted = 8
	var list []compiled
	opt := generous
	opt.Schemas = clr.Schemas
	for e, err := range codec.NewBytesReader(shared.Trace(t, name), opt).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Provider() != rundown || e.ID() != methodUnloadVerbose || fieldOf(e, "MethodFlags").Uint64()&jitted != 0 {
			continue
		}
		start := fieldOf(e, "MethodStartAddress").Uint64()
		list = append(list, compiled{
			fieldOf(e, "ModuleID").Uint64(), start, start + fieldOf(e, "MethodSize").Uint64(), rawName(e),
		})
	}
	slices.SortFunc(list, func(a, b compiled) int { return cmp.Compare(a.start, b.start) })
	return list
}

// rawName is the name of a method event without the module.
func rawName(e *codec.Event) string {
	s := symbols.Symbol{
		Namespace: fieldOf(e, "MethodNamespace").Text(), Method: fieldOf(e, "MethodName").Text(), Signature: fieldOf(e, "MethodSignature").Text(),
	}
	return s.RawName()[1:]
}

func methodAt(methods []compiled, address uint64) string {
	i, exact := slices.BinarySearchFunc(methods, address, func(m compiled, a uint64) int { return cmp.Compare(m.start, a) })
	if !exact {
		i--
	}
	if i < 0 || address >= methods[i].end {
		return ""
	}
	return methods[i].name
}

// imageRanges are where the methods of each module lie.
func imageRanges(methods []compiled) map[uint64][2]uint64 {
	images := map[uint64][2]uint64{}
	for _, m := range methods {
		image, known := images[m.module]
		if !known {
			image[0] = m.start
		}
		images[m.module] = [2]uint64{min(image[0], m.start), max(image[1], m.end)}
	}
	return images
}

// named is an address and the name of its frame, without the module.
type named struct {
	address uint64
	name    string
}

// entryPointFrames counts the frames of a trace that entry points name.
func entryPointFrames(t *testing.T, name string) map[named]int {
	t.Helper()
	stream := shared.Trace(t, name)
	table := readTable(t, stream, symbols.Options{})
	counts := map[named]int{}
	for e, err := range codec.NewBytesReader(stream, generous).Events() {
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range e.Stack() {
			f := table.Lookup(symbols.Query{Process: symbols.Process(e), Address: a, Ticks: e.Timestamp})
			if f.Evidence == symbols.EntryPoint {
				s := *f.Symbol
				s.Module = nil
				counts[named{a, s.RawName()[1:]}]++
			}
		}
	}
	return counts
}

// distances returns how far the image of each module has moved between the
// traces, by the entry points whose name only one method has. Most of them agree.
func distances(t *testing.T, name string, byName map[string][]compiled) map[uint64]uint64 {
	t.Helper()
	votes := map[uint64]map[uint64]int{}
	opt := generous
	opt.Schemas = clr.Schemas
	for e, err := range codec.NewBytesReader(shared.Trace(t, name), opt).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Provider() != runtime || e.ID() != entryPoint {
			continue
		}
		if same := byName[rawName(e)]; len(same) == 1 {
			if votes[same[0].module] == nil {
				votes[same[0].module] = map[uint64]int{}
			}
			votes[same[0].module][fieldOf(e, "EntryPoint").Uint64()-same[0].start]++
		}
	}
	moved := map[uint64]uint64{}
	for module, counts := range votes {
		all, most := 0, 0
		for distance, n := range counts {
			if all += n; n > most {
				most, moved[module] = n, distance
			}
		}
		t.Logf("module %#x has moved by %#x for %d of %d methods", module, moved[module], most, all)
	}
	return moved
}

// fieldOf is Event.Field for an existing field.
func fieldOf(e *codec.Event, name string) codec.Value {
	v, _ := e.Field(name)
	return v
}
